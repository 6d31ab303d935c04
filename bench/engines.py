"""The engines that peers.py runs: what each is called, where its program is looked for, and how it measures one case on one file.

A measurement is {"rates": [tokens per second], "command": "..."}; batches count all their sequences.
"""

import collections
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys

from measuring import Failed, output_of

Case = collections.namedtuple("Case", "name phase tokens depth batch isa", defaults=(0, 1, ""))
CASES = [
    Case("prefill-256", "prefill", 256),
    Case("decode-32", "decode", 32),
    Case("batch-16", "decode", 32, 0, 16),
    Case("avx2-prefill-256", "prefill", 256, isa="avx2"),
    Case("avx2-decode-32", "decode", 32, isa="avx2"),
    Case("prefill-2048", "prefill", 2048),
    Case("depth-8128", "decode", 32, 8128),  # what a context of 8,192 leaves for a prompt and 32 tokens
]
SHORT_PROMPT = 16  # before a decode at no depth
LONG = 1000  # tokens from which on one run is enough


def is_long(case):
    return max(case.tokens, case.depth) >= LONG


def shown(command):
    """Without folders: where files lie is this machine's business."""
    return " ".join(os.path.basename(str(word)) for word in command)


def result(rates, command):
    if not rates or min(rates) <= 0:
        raise Failed(f"{shown(command)} printed no rate")
    return {"rates": rates, "command": shown(command)}


def program(folder_variable, name):
    """A program in the folder that an environment variable names, or (without the variable) on $PATH; None where there is none."""
    return shutil.which(name, path=os.environ.get(folder_variable))


class Hyalite:
    name = "hyalite"

    def __init__(self, binary, threads):
        self.binary, self.threads = binary, threads

    def why_not(self, case):
        return ""

    def measure(self, model, case):
        what = ["--prompt-tokens", case.tokens, "--decode-tokens", 0] if case.phase == "prefill" else []
        what = what or ["--depth", case.depth, "--prompt-tokens", SHORT_PROMPT, "--decode-tokens", case.tokens, "--batch", case.batch]
        turns = ["--repeats", 1 if is_long(case) else 3, "--warmup", 1]
        isa = ["--isa", case.isa] if case.isa else []
        command = [self.binary, "benchmark", model, *what, *turns, *isa, "--threads", self.threads, "--json"]
        samples = json.loads(output_of(command)[0])["samples"]
        if case.phase == "prefill":
            return result([case.tokens / one["prefill_ms"] * 1e3 for one in samples], command)
        return result([case.batch / one["decode_ms"] * 1e3 for one in samples], command)

    def close(self):
        pass


class LlamaCpp:
    """llama.cpp: llama-bench, and llama-batched-bench for batches."""

    def __init__(self, name, folder_variable, threads, isa=""):
        self.name, self.threads, self.isa = name, threads, isa
        self.bench, self.batched = program(folder_variable, "llama-bench"), program(folder_variable, "llama-batched-bench")
        self.folder_variable = folder_variable

    def why_not(self, case):
        if case.isa != self.isa:
            return "is built for other instruction sets"
        needed, tool = (self.batched, "llama-batched-bench") if case.batch > 1 else (self.bench, "llama-bench")
        return "" if needed else f"{tool} is neither in ${self.folder_variable} nor on $PATH"

    def measure(self, model, case):
        if case.batch > 1:
            return self._measure_batch(model, case)
        command = [self.bench, "-m", model, "-t", self.threads, *self._flags(case), "-o", "json"]
        rows = [row for row in json.loads(output_of(command)[0]) if (row["n_prompt"] if case.phase == "prefill" else row["n_gen"]) == case.tokens]
        return result(rows[-1]["samples_ts"] if rows else [], command)

    def _flags(self, case):
        if case.phase == "prefill":
            # A long prompt is warmed up by a short one.
            return ["-n", 0, "-p", f"256,{case.tokens}", "-r", 1, "--no-warmup"] if is_long(case) else ["-n", 0, "-p", case.tokens, "-r", 3]
        return ["-p", 0, "-n", case.tokens, "-d", case.depth or SHORT_PROMPT, "-r", 1 if is_long(case) else 3]

    def _measure_batch(self, model, case):
        room = case.batch * (SHORT_PROMPT + case.tokens)
        sizes = ["-c", room, "-npp", SHORT_PROMPT, "-ntg", case.tokens, "-npl", case.batch]
        command = [self.batched, "-m", model, *sizes, "-t", self.threads, "--output-format", "jsonl"]
        rows = [json.loads(line) for line in output_of(command)[0].splitlines() if line.startswith("{")]
        return result([row["speed_tg"] for row in rows], command)

    def close(self):
        pass


class IkLlama(LlamaCpp):
    """ik_llama.cpp: its llama-bench has other flags, repacks when asked, and no batches."""

    def why_not(self, case):
        return "its llama-bench has no batches" if case.batch > 1 else super().why_not(case)

    def _flags(self, case):
        repack = ["-rtr", 1]
        if case.phase == "prefill":
            return [*repack, "-n", 0, *(["-p", f"256,{case.tokens}", "-r", 1, "-w", 0] if is_long(case) else ["-p", case.tokens, "-r", 3])]
        if case.depth:
            return [*repack, "-p", 0, "-n", 0, "-gp", f"{case.depth},{case.tokens}", "-r", 1, "-w", 0]
        return [*repack, "-p", 0, "-n", case.tokens, "-r", 3]


class OpenVino:
    """OpenVINO GenAI, in a process of its own that keeps a model and is stopped between its turns."""

    name = "openvino"

    def __init__(self, threads):
        self.threads, self.python, self.worker, self.model, self.refused = threads, os.environ.get("OPENVINO_PYTHON", sys.executable), None, None, {}
        probe = [self.python, "-c", "import openvino_genai"]
        self.there = bool(shutil.which(self.python)) and subprocess.run(probe, capture_output=True).returncode == 0

    def why_not(self, case):
        if not self.there:
            return "the Python in $OPENVINO_PYTHON has no openvino_genai"
        return "runs one sequence at a time here" if case.batch > 1 else "chooses its instruction sets itself" if case.isa else ""

    def measure(self, model, case):
        if self.model != model:
            self.close()
            self._start(model)
        command = ["openvino_worker.py", model, case.tokens, case.depth]
        prompt, decode = (case.tokens, 2) if case.phase == "prefill" else (case.depth or SHORT_PROMPT, case.tokens)
        said = self._ask(f"{prompt} {decode}\n")
        return result([said[case.phase]], command)

    def _start(self, model):
        if model in self.refused:
            raise Failed(self.refused[model])
        script = pathlib.Path(__file__).with_name("openvino_worker.py")
        command = [self.python, script, model, str(self.threads)]
        self.worker, self.model = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True), model
        try:
            self._answer()
        except Failed as error:
            self.refused[model] = str(error)
            raise

    def _ask(self, line):
        os.kill(self.worker.pid, signal.SIGCONT)
        self.worker.stdin.write(line)
        self.worker.stdin.flush()
        return self._answer()

    def _answer(self):
        line = self.worker.stdout.readline()
        if not line:
            name = os.path.basename(self.model)
            self.close()
            raise Failed(f"OpenVINO GenAI cannot run {name}")
        os.kill(self.worker.pid, signal.SIGSTOP)
        return json.loads(line)

    def close(self):
        if self.worker:
            self.worker.kill()
            self.worker.wait()
        self.worker = self.model = None


def all_engines(hyalite, threads):
    return [
        Hyalite(hyalite, threads),
        LlamaCpp("llama.cpp", "LLAMA_BIN", threads),
        LlamaCpp("llama.cpp-avx2", "LLAMA_AVX2_BIN", threads, "avx2"),
        IkLlama("ik_llama.cpp", "IK_BIN", threads),
        OpenVino(threads),
    ]
