"""What the measuring scripts share: models and tools, the machine and how busy others keep it, statistics, and where results go."""

import datetime
import functools
import json
import os
import pathlib
import platform
import resource
import shutil
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
MODELS = ["smollm2", "gemma3-270m", "qwen2.5-coder-1.5b"]


class Failed(Exception):
    """Ends a script with one line and exit code 1."""


def say(*words):
    print(*words, file=sys.stderr, flush=True)


def model_of(argument):
    """(name, path) of a model that scripts/get-model.sh knows, or of a file."""
    if os.path.exists(argument):
        return pathlib.Path(argument).stem, argument
    got = subprocess.run([ROOT / "scripts/get-model.sh", argument], stdout=subprocess.PIPE, text=True)
    if got.returncode:
        raise Failed(f"{argument}: neither a file nor a model that scripts/get-model.sh could get")
    return argument, got.stdout.strip()


def llama_tool(name):
    """A program of llama.cpp, from the folder $LLAMA_BIN or from $PATH; None where it is in neither."""
    return shutil.which(name, path=os.environ.get("LLAMA_BIN"))


def output_of(command, limit=3600):
    """(standard output, standard error) of a command that must succeed."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace", timeout=limit)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [""]
        raise Failed(f"{' '.join(map(str, command))} ended with {done.returncode}: {lines[-1]}")
    return done.stdout, done.stderr


def _cpu_seconds():
    """(used by everything, passed on all CPUs) since boot; time that the host took away counts as used."""
    fields = [int(n) for n in pathlib.Path("/proc/stat").read_text().split("\n")[0].split()[1:9]]
    tick = os.sysconf("SC_CLK_TCK")
    return (sum(fields) - fields[3] - fields[4]) / tick, sum(fields) / tick


def _seconds_of_live_children():
    """CPU seconds of child processes that still run; those that have ended are in RUSAGE_CHILDREN."""
    seconds = 0.0
    for status in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rsplit(")", 1)[1].split()
        except OSError:  # it has ended
            continue
        if int(fields[1]) == os.getpid():
            seconds += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return seconds


class Others:
    """Share of the machine's CPU time that went to anyone but us and our child processes inside a `with` block."""

    def __enter__(self):
        self._before = (_cpu_seconds(), self._own())
        return self

    def __exit__(self, *_):
        (used, passed), own = _cpu_seconds(), self._own()
        (used_before, passed_before), own_before = self._before
        self.share = max(0.0, (used - used_before) - (own - own_before)) / max(passed - passed_before, 1e-9)

    @staticmethod
    def _own():
        who = (resource.RUSAGE_CHILDREN, resource.RUSAGE_SELF)
        return sum(u.ru_utime + u.ru_stime for u in map(resource.getrusage, who)) + _seconds_of_live_children()


def spread(values):
    return {"median": statistics.median(values), "min": min(values), "max": max(values), "samples": list(values)}


def machine():
    cpu = [line.split(":", 1)[1].strip() for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    return {
        "cpu": cpu[0] if cpu else platform.machine(),
        "cpus": os.cpu_count(),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "kernel": platform.release(),
        "load_average": os.getloadavg()[0],
    }


@functools.cache
def commit():
    """The commit of this checkout, with "+changes" where the sources differ from it."""

    def git(*arguments):
        return subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True).stdout.strip()

    changed = git("status", "--porcelain", "--untracked-files=no", "--", "src", "cmake", "CMakeLists.txt", "bench")
    return (git("rev-parse", "HEAD") or "unknown") + ("+changes" if changed else "")


def result_path(kind, folder=None):
    """bench/results/DATE-KIND.json, or in another folder."""
    return pathlib.Path(folder or ROOT / "bench/results") / f"{datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d}-{kind}.json"


def write_result(kind, content, folder=None):
    """Writes result_path(kind, folder) and returns it."""
    now = datetime.datetime.now(datetime.timezone.utc)
    path = result_path(kind, folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    head = {"kind": kind, "date": f"{now:%Y-%m-%dT%H:%M:%SZ}", "commit": commit(), "machine": machine()}
    path.write_text(json.dumps({**head, **content}, indent=1) + "\n")
    return path


def table(header, rows):
    """Lines of a table: the first two columns to the left, the others to the right."""
    widths = [max(len(str(row[i])) for row in [header, *rows]) for i in range(len(header))]
    for row in [header, *rows]:
        yield "  ".join(str(cell).ljust(w) if i < 2 else str(cell).rjust(w) for i, (cell, w) in enumerate(zip(row, widths))).rstrip()


def main(script):
    """Runs `script`; a Failed or a command out of time is one line on standard error."""
    try:
        started = time.monotonic()
        script()
        say(f"took {time.monotonic() - started:.0f} s")
    except (Failed, subprocess.TimeoutExpired, OSError) as error:
        sys.exit(f"{pathlib.Path(sys.argv[0]).name}: {error}")
