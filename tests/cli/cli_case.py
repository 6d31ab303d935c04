"""What the tests of the command line share: running the binary named by $HYALITE, and tiny models to run it on."""

import atexit
import json
import os
import shutil
import subprocess
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BINARY = os.environ.get("HYALITE", os.path.join(ROOT, "build", "release", "hyalite"))
REAL_MODEL = os.environ.get("HYALITE_TEST_MODEL", "")
SCRATCH = tempfile.mkdtemp(prefix="hyalite-cli-")
atexit.register(shutil.rmtree, SCRATCH, ignore_errors=True)
ENVIRONMENT = {**os.environ, "XDG_CACHE_HOME": os.path.join(SCRATCH, "cache"), "NO_COLOR": "1"}

needs_real_model = unittest.skipUnless(REAL_MODEL, "HYALITE_TEST_MODEL names no SmolLM2")


class Result:
    def __init__(self, completed):
        self.code = completed.returncode
        self.out = completed.stdout
        self.err = completed.stderr

    @property
    def json(self):
        return json.loads(self.out)

    @property
    def last_error(self):
        return self.err.strip().splitlines()[-1] if self.err.strip() else ""


def run(*arguments, stdin="", cwd=None, binary=BINARY):
    command = [binary, *map(str, arguments)]
    return Result(
        subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=300, cwd=cwd, env=ENVIRONMENT, errors="replace")
    )


def start(*arguments, prefix=()):
    """A process with pipes at both ends; `prefix` comes before the binary."""
    command, pipe = [*prefix, BINARY, *map(str, arguments)], subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, env=ENVIRONMENT, errors="replace")


def scratch(name):
    """A path that nothing is at."""
    return os.path.join(tempfile.mkdtemp(dir=SCRATCH), name)


def tiny(family="llama", seed=1):
    path = os.path.join(SCRATCH, f"tiny-{family}-{seed}")
    if not os.path.exists(path):
        subprocess.run([BINARY, "make-tiny", path, "--family", family, "--seed", str(seed), "-q"], check=True, stdout=subprocess.DEVNULL)
    return path


def artifact(*flags, family="llama"):
    """A compiled tiny model; made anew where flags are given."""
    path = scratch("artifact") if flags else os.path.join(SCRATCH, f"artifact-{family}")
    if not os.path.exists(path):
        subprocess.run(
            [BINARY, "compile", tiny(family), "-o", path, "--max-seq", "256", *map(str, flags)], check=True, stdout=subprocess.DEVNULL
        )
    return path


def edit_json(path, change):
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    change(document)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(document, file)


def edit_weights(folder, change):
    """Calls change(header, data) on the safetensors file of a model directory; data is a bytearray that may grow at its end."""
    path = os.path.join(folder, "model.safetensors")
    with open(path, "rb") as file:
        header, data = json.loads(file.read(int.from_bytes(file.read(8), "little"))), bytearray(file.read())
    change(header, data)
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text + data)


def resize_tensor(header, data, name, content):
    """For edit_weights: gives a tensor other bytes and moves what lies behind, as the format allows no holes."""
    begin, end = header[name]["data_offsets"]
    for other, row in header.items():
        if other not in (name, "__metadata__") and row["data_offsets"][0] >= end:
            row["data_offsets"] = [at - (end - begin) + len(content) for at in row["data_offsets"]]
    header[name]["data_offsets"] = [begin, begin + len(content)]
    data[begin:end] = content


def drop_tensor(header, data, name):
    resize_tensor(header, data, name, b"")
    del header[name]


class CliCase(unittest.TestCase):
    maxDiff = 2000

    def done(self, *arguments, **more):
        """The result of a command that must succeed."""
        result = run(*arguments, **more)
        self.assertEqual(result.code, 0, result.err)
        return result

    def json_of(self, *arguments, **more):
        return self.done(*arguments, "--json", **more).json

    def refused(self, code, *arguments, **more):
        """The error of a command that must fail with this exit code: one line, and nothing on standard output."""
        result = run(*arguments, **more)
        self.assertEqual(result.code, code, f"{arguments}: {result.out[:200]} {result.err}")
        self.assertEqual(result.out, "")
        self.assertEqual(len(result.err.strip().splitlines()), 1, result.err)
        self.assertTrue(result.err.startswith("hyalite: "), result.err)
        return result.err

    def assertFields(self, document, *names):
        for name in names:
            self.assertIn(name, document)
