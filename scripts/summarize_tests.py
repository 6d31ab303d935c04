"""Adds up what scripts/test.sh left in a folder and prints "N passed, N failed": summarize_tests.py FOLDER

    checks          lines "passed NAME" and "failed NAME"
    NAME.json       counts of a run of Python tests
    PRESET.xml      ctest's report: which test binaries ran and how they ended
    PRESET/*.json   GoogleTest's report of each binary
A binary that failed without a report of its own failures has crashed, and counts as one failure.
"""

import json
import pathlib
import sys
import xml.etree.ElementTree


def counts_of(folder):
    """(passed, failed, skipped, names of what failed)"""
    passed = failed = skipped = 0
    names = []
    checks = folder / "checks"
    for line in checks.read_text().splitlines() if checks.exists() else []:
        state, name = line.split(" ", 1)
        passed += state == "passed"
        if state != "passed":
            failed += 1
            names.append(name)
    for file in sorted(folder.glob("*.json")):
        run = json.loads(file.read_text())
        passed += run["tests"] - run["failures"] - run["skipped"]
        failed += run["failures"]
        skipped += run["skipped"]
        names += [f"{run['failures']} Python tests of {file.stem}"] if run["failures"] else []
    for report in sorted(folder.glob("*.xml")):
        for case in xml.etree.ElementTree.parse(report).getroot().iter("testcase"):
            p, f, s = google_counts(folder / report.stem / f"test_{case.get('name')}.json")
            if case.get("status") == "fail" and not f:
                f = 1
            passed, failed, skipped = passed + p, failed + f, skipped + s
            names += [f"{f} of {case.get('name')}, {report.stem}"] if f else []
    return passed, failed, skipped, names


def google_counts(file):
    if not file.exists():
        return 0, 0, 0
    run = json.loads(file.read_text())
    tests = [test for suite in run["testsuites"] for test in suite["testsuite"]]
    skipped = sum(test["result"] == "SKIPPED" for test in tests)
    return run["tests"] - run["failures"] - skipped, run["failures"], skipped


def main():
    passed, failed, skipped, names = counts_of(pathlib.Path(sys.argv[1]))
    for name in names:
        print(f"FAILED: {name}")
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
