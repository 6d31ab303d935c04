"""Ctrl-C, SIGTERM and SIGHUP: every verb ends soon, says so with its exit code, and leaves no partial file."""

import os
import signal
import time
import unittest

from cli_case import REAL_MODEL, CliCase, needs_real_model, scratch, start, tiny

SOON = 60  # seconds; a loaded machine is slow, an unheard signal takes minutes in every case here
# A signal that was ignored when the tests began, as nohup leaves a hang-up, is not for programs to hear.
ENDINGS = [s for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP) if signal.getsignal(s) is not signal.SIG_IGN]


def await_partial(folder, process):
    while not os.listdir(folder) and process.poll() is None:
        time.sleep(0.01)


def text_file(words):
    path = scratch("text.txt")
    with open(path, "w", encoding="utf-8") as file:
        file.write("The cat sat on the mat and looked at the moon. " * (words // 11))
    return path


class SignalCase(CliCase):
    def ends(self, process, number=signal.SIGINT):
        process.send_signal(number)
        out, error = process.communicate(timeout=SOON)
        self.assertEqual(process.returncode, 1, error)
        return out, error


class Interruption(SignalCase):
    def test_a_calibration_ends_and_keeps_nothing(self):
        process = start("profile", "--calibrate", "--sample-mb", 64, "--repeats", 1000)
        time.sleep(0.5)
        self.assertIn("interrupted", self.ends(process)[1])

    def test_an_answer_ends(self):
        for number in ENDINGS:
            with self.subTest(signal=number):
                process = start("run", tiny("gemma3"), "--raw", "-p", "a", "--max-new-tokens", 100000, "--max-seq", 2000, "--ignore-eos")
                process.stdout.read(1)
                self.ends(process, number)

    def test_waiting_for_input_ends(self):
        for arguments in (("run", tiny(), "--raw", "--file", "-"), ("tokenize", tiny(), "--file", "-")):
            for number in ENDINGS:
                with self.subTest(verb=arguments[0], signal=number):
                    process = start(*arguments)
                    time.sleep(0.5)
                    self.assertIn("interrupted", self.ends(process, number)[1])

    def test_a_chat_ends_where_it_is_terminated(self):
        for number in ENDINGS[1:]:
            with self.subTest(signal=number):
                chat = start("chat", tiny("gemma3"), "--max-new-tokens", 2000, "--ignore-eos")
                chat.stdin.write("hello\nagain\nand again\n")
                chat.stdin.flush()
                chat.stdout.read(1)
                self.ends(chat, number)
                waiting = start("chat", tiny("gemma3"))
                time.sleep(0.5)
                self.ends(waiting, number)

    def test_a_base_file_half_written_leaves_what_was_there(self):
        out, text = scratch("base"), text_file(100000)
        with open(out, "w", encoding="utf-8") as file:
            file.write("old")
        process = start("kl", tiny("gemma3"), "--write-base", out, "--base-format", "llama.cpp", "--file", text, "--ctx", 64)
        while len(os.listdir(os.path.dirname(out))) < 2 and process.poll() is None:
            time.sleep(0.01)
        self.assertIn("interrupted", self.ends(process)[1])
        self.assertEqual(os.listdir(os.path.dirname(out)), ["base"])
        with open(out, encoding="utf-8") as file:
            self.assertEqual(file.read(), "old")

    def test_nohup_is_heeded(self):
        process = start("tokenize", tiny(), "--file", "-", prefix=("nohup",))
        time.sleep(0.5)
        process.send_signal(signal.SIGHUP)
        out, error = process.communicate("a", timeout=SOON)
        self.assertEqual(process.returncode, 0, error)
        self.assertNotEqual(out, "")


@needs_real_model
class RealModel(SignalCase):
    def test_a_prompt_half_read_ends(self):
        for flags in (("--prefill-chunk", 8192), ("--numerics", "reference")):
            with self.subTest(flags=flags):
                process = start("run", REAL_MODEL, "--raw", "--file", text_file(6000), "--max-new-tokens", 1, *flags)
                time.sleep(1)
                self.ends(process)

    def test_measurements_end(self):
        text = text_file(100000)
        for arguments in (
            ("benchmark", REAL_MODEL, "--prompt-tokens", 4000, "--repeats", 10000),
            ("benchmark", REAL_MODEL, "--numerics", "reference", "--prompt-tokens", 4000),
            ("perplexity", REAL_MODEL, "--file", text, "--ctx", 2048),
            ("perplexity", REAL_MODEL, "--file", text, "--ctx", 2048, "--numerics", "reference"),
        ):
            with self.subTest(arguments=arguments):
                process = start(*arguments)
                time.sleep(1)
                self.assertIn("interrupted", self.ends(process)[1])

    def test_a_compilation_leaves_nothing(self):
        for number in ENDINGS:
            with self.subTest(signal=number):
                out = scratch("artifact")
                process = start("compile", REAL_MODEL, "-o", out)
                await_partial(os.path.dirname(out), process)
                self.assertIn("interrupted", self.ends(process, number)[1])
                self.assertEqual(os.listdir(os.path.dirname(out)), [])

    def test_a_validation_ends(self):
        out = scratch("artifact")
        process = start("compile", REAL_MODEL, "-o", out, "--validate")
        time.sleep(1)
        self.assertIn("interrupted", self.ends(process)[1])
        self.assertEqual(os.listdir(os.path.dirname(out)), [])


if __name__ == "__main__":
    unittest.main()
