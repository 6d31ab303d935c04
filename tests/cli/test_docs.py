"""Every command that the manual shows, run as it stands: the `$ hyalite` lines of console blocks in docs/*.md."""

import glob
import os
import re
import subprocess
import unittest

from cli_case import BINARY, ENVIRONMENT, ROOT, scratch


def commands(path):
    with open(path, encoding="utf-8") as file:
        for block in re.findall(r"(?ms)^```console\n(.*?)^```", file.read()):
            yield from (line[2:] for line in block.splitlines() if line.startswith("$ "))


class Docs(unittest.TestCase):
    def test_examples_run(self):
        for path in sorted(glob.glob(os.path.join(ROOT, "docs", "*.md"))):
            place = scratch("place")
            os.makedirs(os.path.join(place, "bin"))
            os.symlink(BINARY, os.path.join(place, "bin", "hyalite"))
            with open(os.path.join(place, "prose.txt"), "w", encoding="utf-8") as file:
                file.write("the cat sat on the mat and looked at the door " * 30)
            environment = {**ENVIRONMENT, "PATH": os.path.join(place, "bin") + os.pathsep + os.environ["PATH"]}
            for command in commands(path):
                with self.subTest(file=os.path.basename(path), command=command):
                    done = subprocess.run(command, shell=True, cwd=place, env=environment, capture_output=True, timeout=120)
                    self.assertEqual(done.returncode, 0, done.stderr.decode(errors="replace"))

    def test_there_are_examples(self):
        self.assertGreater(len(list(commands(os.path.join(ROOT, "docs", "cli.md")))), 20)


if __name__ == "__main__":
    unittest.main()
