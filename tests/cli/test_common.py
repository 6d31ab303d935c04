"""What all verbs have in common: help, exit codes, one-line errors."""

import json
import os
import re
import subprocess
import unittest

from cli_case import BINARY, ROOT, CliCase, run, scratch, tiny

with open(os.path.join(ROOT, "src", "cli", "verbs.inc"), encoding="utf-8") as table:
    VERBS = [name.replace("_", "-") for name in re.findall(r"(?m)^VERB\((\w+)\)", table.read())]


class Help(CliCase):
    def test_lists_every_verb(self):
        text = self.done("--help").out
        for verb in VERBS:
            self.assertRegex(text, rf"(?m)^  {verb} ")

    def test_fits_100_columns(self):
        for verb in [None, *VERBS]:
            with self.subTest(verb=verb):
                for line in self.done(*([verb] if verb else []), "--help").out.splitlines():
                    self.assertLessEqual(len(line), 100, line)

    def test_shows_defaults_and_groups(self):
        text = self.done("run", "--help").out
        self.assertIn("--max-new-tokens", text)
        self.assertIn("128", text)
        for group in ("Sampling", "Execution", "Output"):
            self.assertIn(group, text)

    def test_version(self):
        self.assertRegex(self.done("--version").out, r"^hyalite \d+\.\d+\.\d+\n$")


class Paths(CliCase):
    def test_may_be_any_bytes(self):
        folder = os.fsencode(scratch("w")) + b"\xff"
        for command in (
            ["make-tiny", folder, "--json"],
            ["compile", folder, "-o", folder + b".a", "--json"],
            ["export", folder + b".a", folder + b".html", "--json"],
            ["quantize", folder, folder + b".gguf", "--type", "q8_0", "--json"],
            ["run", folder + b".gguf", "--raw", "--prompt", "a", "--max-new-tokens", "2", "--json"],
        ):
            completed = subprocess.run([BINARY, *command], capture_output=True, check=False, timeout=300)
            self.assertEqual(completed.returncode, 0, completed.stderr)
            json.loads(completed.stdout)


class ExitCodes(CliCase):
    def test_usage(self):
        for arguments in (
            [],
            ["no-such-verb"],
            ["run"],
            ["run", tiny(), "--prompt", "a", "--no-such-flag"],
            ["run", tiny(), "--prompt", "a", "--threads", "many"],
            ["run", tiny(), "--prompt", "a", "--isa", "neon"],
            ["run", tiny(), "--prompt", "a", "--numerics", "wild"],
            ["run", tiny(), "--prompt", "a", "--kv-dtype", "q4_0"],
            ["run", tiny(), "--prompt", "a", "--backend", "tpu"],
            ["make-tiny", scratch("x"), "--family", "no-such-family"],
            ["tokenize", tiny()],
            ["detokenize", tiny(), "--ids", "1,x"],
            ["compile", tiny(), "-o", scratch("x"), "--stop-after", "no-such-pass"],
        ):
            with self.subTest(arguments=arguments):
                self.refused(2, *arguments)

    def test_an_unknown_verb_is_named(self):
        for word, near in (("serv", None), ("runn", "run"), ("benchmrk", "benchmark"), ("xyzzy", None), ("", None)):
            with self.subTest(word=word):
                error = self.refused(2, word, "x")
                self.assertIn(f"no verb {word}", error)
                if near:
                    self.assertIn(f"{near} is one", error)
        self.assertNotIn("is one", self.refused(2, "xyzzy"))

    def test_an_empty_value_takes_no_other_argument_along(self):
        self.assertIn("--isa", self.refused(2, "run", tiny(), "--prompt", "a", "--isa=", "--json"))
        self.assertIn("empty", self.refused(2, "run", tiny(), "--prompt", "a", "--stop=", "--json"))

    def test_numbers_out_of_range_are_said_briefly(self):
        self.assertLess(len(self.refused(2, "run", tiny(), "--prompt", "a", "--max-new-tokens", 0)), 120)

    def test_invalid_models(self):
        empty = scratch("empty")
        os.makedirs(empty)
        noise = scratch("noise.gguf")
        with open(noise, "wb") as file:
            file.write(b"GGUF" + b"\xff" * 100)
        for path in (empty, noise, scratch("absent.gguf")):
            for verb in (["run", "--prompt", "a"], ["plan"], ["tokenize", "--text", "a"], ["compile", "-o", scratch("x")]):
                with self.subTest(path=path, verb=verb[0]):
                    error = self.refused(3, verb[0], path, *verb[1:])
                    self.assertIn(os.path.basename(path), error)

    def test_a_full_disk_is_an_error(self):
        with open("/dev/full", "w") as full:
            import subprocess

            from cli_case import BINARY

            done = subprocess.run([BINARY, "kernels"], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("standard output", done.stderr)

    def test_control_characters_of_names_do_not_reach_the_terminal(self):
        error = run("run", "a\x1b[31mb", "--prompt", "a").err
        self.assertNotIn("\x1b", error)


if __name__ == "__main__":
    unittest.main()
