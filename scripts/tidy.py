"""Runs clang-tidy over sources that have changed since they were last clean: tidy.py BUILD_DIR FILE...

Headers are checked through the sources that include them (HeaderFilterRegex in .clang-tidy).
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import shlex
import subprocess
import sys

TIDY = "clang-tidy-16"


def preprocessed(entry):
    """What the compiler sees of a source; comments are kept, for NOLINT is one."""
    command = [word for word in shlex.split(entry["command"]) if word != "-c"]
    if "ccache" in " ".join(command[:6]):
        command = command[next(i for i, word in enumerate(command) if word.endswith("ccache")) + 1 :]
    output = command.index("-o")
    del command[output : output + 2]
    return subprocess.run([*command, "-E", "-CC", "-P"], cwd=entry["directory"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout


def check(entry, build, rules):
    """The findings in one source, or an empty text."""
    digest = hashlib.sha256(rules + preprocessed(entry)).hexdigest()
    stamp = build / "clean" / digest
    if stamp.exists():
        return ""
    run = subprocess.run([TIDY, "-quiet", "-p", build, entry["file"]], capture_output=True, text=True, check=False)
    if run.returncode == 0:
        stamp.touch()
        return ""
    return run.stdout or run.stderr


def main():
    build = pathlib.Path(sys.argv[1])
    wanted = {os.path.abspath(file) for file in sys.argv[2:]}
    entries = [e for e in json.loads((build / "compile_commands.json").read_text()) if e["file"] in wanted]
    (build / "clean").mkdir(exist_ok=True)
    rules = pathlib.Path(".clang-tidy").read_bytes()
    print(f"clang-tidy: {len(entries)} sources", file=sys.stderr)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        findings = [text for text in pool.map(lambda e: check(e, build, rules), entries) if text]
    for text in findings:
        print(text)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
