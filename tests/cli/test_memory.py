"""What `plan` predicts, held to what `run` takes."""

import os
import unittest

from cli_case import REAL_MODEL, CliCase, needs_real_model, start

GEMMA3 = os.environ.get("HYALITE_TEST_GEMMA3", "")
PROMPT = "The history of the lighthouse begins with fires on hills. " * 20


def peak_of(*arguments):
    """Most bytes that were resident at once, and the exit code."""
    process = start(*arguments)
    process.stdin.close()
    process.stdout.read()
    process.stdout.close()
    process.stderr.close()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_maxrss * 1024, process.returncode


class Memory(CliCase):
    def check(self, model):
        for length in (512, 2048):
            with self.subTest(max_seq=length):
                predicted = self.json_of("plan", model, "--max-seq", length)["bytes"]["total"]
                peak, code = peak_of("run", model, "--raw", "--prompt", PROMPT, "--max-new-tokens", 32, "--max-seq", length, "--ignore-eos")
                self.assertEqual(code, 0)
                self.assertAlmostEqual(peak / predicted, 1, delta=0.05)

    @needs_real_model
    def test_smollm2(self):
        self.check(REAL_MODEL)

    @unittest.skipUnless(GEMMA3, "HYALITE_TEST_GEMMA3 names no Gemma 3")
    def test_gemma3(self):
        self.check(GEMMA3)


if __name__ == "__main__":
    unittest.main()
