"""Runs the Python tests of a folder and leaves their counts: unittest_json.py FOLDER RESULT.json"""

import json
import sys
import unittest


def main():
    folder, result_file = sys.argv[1:]
    suite = unittest.defaultTestLoader.discover(folder, pattern="test_*.py")
    result = unittest.TextTestRunner(verbosity=1, buffer=True).run(suite)
    failures = len(result.failures) + len(result.errors) + len(result.unexpectedSuccesses)
    with open(result_file, "w", encoding="utf-8") as file:
        json.dump({"tests": result.testsRun, "failures": failures, "skipped": len(result.skipped)}, file)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
