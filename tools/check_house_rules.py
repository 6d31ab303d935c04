#!/usr/bin/env python3
"""Fails where the tree breaks a house rule, one line a fault: check_house_rules.py [ROOT]

Layering, heavy headers, file length, READMEs, conditionals, unfinished words, tests beside sources, rows that have their file, fuzz
targets, and paths of one machine. Each rule is a function from a Tree to its faults.
"""

import pathlib
import re
import subprocess
import sys

LINE_CAP, README_CAP = 600, 15
SOURCES = {".h", ".cpp", ".cu", ".cuh", ".inc"}
CODE = SOURCES | {".py", ".sh", ".js", ".css", ".html", ".cmake", ".md"}
DATA = re.compile(r"\.inc$|_(tables?|data)\.\w+$")
CONDITIONALS_IN = {"base", "device", "kernels", "python"}
UNTESTED = {"cli", "python"}  # tested as people use them, in tests/cli and tests/python
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b|\b(stub(bed)?|not (yet )?implemented|unimplemented|for now)\b", re.IGNORECASE)
UNFINISHED_IN = {"src", "fuzz", "bench", "cmake", "scripts"}
MACHINE_PATH = re.compile(r"(?<![\w.}])/(?:work|root|home/\w+|opt/wheels)/")
INCLUDE = re.compile(r'^[ \t]*#\s*include\s*["<](?:src/|hyalite/)?(\w+)/[\w/.]+[">]', re.MULTILINE)
CONDITIONAL = re.compile(r"^[ \t]*#\s*(?:if|ifdef|ifndef|elif|else)\b.*", re.MULTILINE)
# Headers that take seconds to compile, and the only sources that may include them.
HEAVY = {"CLI/CLI.hpp": {"src/cli/command_line.cpp", "src/cli/option_set.cpp"}}
# Lists whose rows are files. A kernel's variants are made from one body, and there the linker misses what is not there.
ROW = re.compile(r"^(?:OP|FORMAT|FAMILY|IMPORTER|VERB|ENDPOINT)\((\w+)\)", re.MULTILINE)


class Tree:
    """The files of a checkout that are not ignored, with their text (None for what is not text)."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.files = sorted(self._listed())
        self._texts = {}

    def _listed(self):
        if (self.root / ".git").exists():
            command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
            names = subprocess.run(command, cwd=self.root, capture_output=True, text=True, check=True).stdout.split("\0")
            return [name for name in names if name and (self.root / name).is_file()]
        return [str(path.relative_to(self.root)) for path in self.root.rglob("*") if path.is_file()]

    def text(self, name):
        if name not in self._texts:
            try:
                self._texts[name] = (self.root / name).read_text(encoding="utf-8")
            except (UnicodeDecodeError, FileNotFoundError):  # binary, or removed since it was listed
                self._texts[name] = None
        return self._texts[name]

    def sources(self):
        """(name, folder of src, text) of each source below src/."""
        for name in self.files:
            parts = name.split("/")
            if parts[0] == "src" and len(parts) > 2 and pathlib.Path(name).suffix in SOURCES:
                yield name, parts[1], self.text(name) or ""

    def folders(self):
        return sorted({folder for _, folder, _ in self.sources()})


def line_of(text, match):
    return text.count("\n", 0, match.start()) + 1


def include_rules(tree):
    """{folder: folders it may include} of tools/include_rules.txt."""
    rules = {}
    for line in (tree.text("tools/include_rules.txt") if "tools/include_rules.txt" in tree.files else "").splitlines():
        folder, colon, allowed = line.partition("#")[0].partition(":")
        if colon:
            rules[folder.strip()] = set(allowed.split())
    return rules


def check_includes(tree):
    rules = include_rules(tree)
    for folder in tree.folders():
        if folder not in rules:
            yield f"tools/include_rules.txt: no row for src/{folder}"
    for name, home, text in tree.sources():
        for match in INCLUDE.finditer(text):
            to = match.group(1)
            if to in rules and to != home and to not in rules.get(home, set()):
                yield f"{name}:{line_of(text, match)}: {home}/ may not include {to}/"


def check_heavy_headers(tree):
    for name, _, text in tree.sources():
        for header, homes in HEAVY.items():
            if name not in homes and f"#include <{header}>" in text:
                yield f"{name}: <{header}> belongs to {', '.join(sorted(homes))}"


def check_length(tree):
    for name in tree.files:
        path = pathlib.Path(name)
        code = path.suffix in SOURCES | {".py", ".sh"}
        if code and not DATA.search(path.name) and (lines := (tree.text(name) or "").count("\n")) > LINE_CAP:
            yield f"{name}: {lines} lines, more than {LINE_CAP}"


def check_readmes(tree):
    """Every folder has a README, save hidden ones and those of data alone below a folder that has one."""
    folders = {parent.as_posix() for name in tree.files for parent in pathlib.PurePath(name).parents if parent.name}
    explained = {name.rsplit("/", 1)[0] for name in tree.files if name.endswith("/README.md")}
    with_code = {str(path.parent) for path in map(pathlib.PurePath, tree.files) if path.suffix in CODE}
    for folder in sorted(folder for folder in folders if not folder.startswith(".")):
        only_data = not any(code == folder or code.startswith(f"{folder}/") for code in with_code)
        if only_data and folder.rpartition("/")[0] in explained and folder not in explained:
            continue
        readme = f"{folder}/README.md"
        if readme not in tree.files:
            yield f"{readme}: missing"
        elif not 0 < len(tree.text(readme).splitlines()) <= README_CAP:
            yield f"{readme}: {len(tree.text(readme).splitlines())} lines, not 1 to {README_CAP}"


def check_conditionals(tree):
    for name, home, text in tree.sources():
        for match in [] if home in CONDITIONALS_IN else CONDITIONAL.finditer(text):
            yield f"{name}:{line_of(text, match)}: preprocessor conditional outside {', '.join(sorted(CONDITIONALS_IN))}"


def check_unfinished(tree):
    for name in tree.files:
        if name.split("/")[0] not in UNFINISHED_IN:
            continue
        text = tree.text(name) or ""
        for match in UNFINISHED.finditer(text):
            yield f"{name}:{line_of(text, match)}: says {match.group(0)!r}"


def check_tests_beside_sources(tree):
    tested = {folder for name, folder, _ in tree.sources() if name.endswith("_test.cpp")}
    for folder in tree.folders():
        if folder not in tested | UNTESTED:
            yield f"src/{folder}: no *_test.cpp beside its sources"


def check_rows_have_files(tree):
    """A row X(name) of a list stands for name.cpp beside or below the list, or for a source there that defines something_name."""
    for name, _, text in tree.sources():
        if not name.endswith(".inc"):
            continue
        below = name.rsplit("/", 1)[0] + "/"
        sources = [file for file in tree.files if file.startswith(below) and pathlib.Path(file).suffix in (".cpp", ".cu")]
        stems = {pathlib.Path(file).stem for file in sources}
        words = {word for file in sources for word in re.findall(r"\w+", tree.text(file) or "")}
        for match in ROW.finditer(text):
            row = match.group(1)
            if row not in stems and row not in words and not any(word.endswith(f"_{row}") for word in words):
                yield f"{name}:{line_of(text, match)}: no source below {below} for {row}"


def check_fuzz_targets(tree):
    """fuzz/targets.txt says which targets feed each reader of untrusted bytes: "folder/reader: target target"."""
    listing = "fuzz/targets.txt"
    rows = {}
    for line in (tree.text(listing) if listing in tree.files else "").splitlines():
        reader, colon, targets = line.partition("#")[0].partition(":")
        if colon:
            rows[reader.strip()] = targets.split()
    importers = "src/importers/importers.inc"
    for row in ROW.findall(tree.text(importers)) if importers in tree.files else []:
        if not rows.get(f"importers/{row}"):
            yield f"{listing}: no fuzz target for importers/{row}"
    named = {target for targets in rows.values() for target in targets}
    there = {pathlib.Path(f).stem for f in tree.files if re.fullmatch(r"fuzz/\w+\.cpp", f)} - {"standalone_main"}
    yield from (f"{listing}: fuzz/{target}.cpp is missing" for target in sorted(named - there))
    yield from (f"{listing}: names no reader for fuzz/{target}.cpp" for target in sorted(there - named))
    for target in sorted(there):
        if not any(name.startswith(f"fuzz/corpus/{target}/") for name in tree.files):
            yield f"fuzz/corpus/{target}: no seed for the fuzz target"


def check_machine_paths(tree):
    for name in tree.files:
        text = tree.text(name) or ""
        for match in MACHINE_PATH.finditer(text):
            yield f"{name}:{line_of(text, match)}: path of one machine, {match.group(0)}"


RULES = (
    check_includes,
    check_heavy_headers,
    check_length,
    check_readmes,
    check_conditionals,
    check_unfinished,
    check_tests_beside_sources,
    check_rows_have_files,
    check_fuzz_targets,
    check_machine_paths,
)


def faults_of(root):
    tree = Tree(root)
    return [fault for rule in RULES for fault in rule(tree)]


def main():
    faults = faults_of(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent)
    for fault in faults:
        print(fault)
    print(f"house rules: {len(faults)} faults" if faults else "house rules: kept")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
