"""The measuring scripts of bench/, without a model: what they call a winner, what they read from llama.cpp, what they refuse."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import measuring  # noqa: E402
import peers  # noqa: E402
import quality  # noqa: E402

QUIET = [0.0, 0.01, 0.02]

# Stands for each engine: prints what the script reads, from rates in the environment.
FAKE_HYALITE = f"""\
#!{sys.executable}
import json
print(json.dumps({{"samples": [{{"prefill_ms": 500.0, "decode_ms": 10.0}}, {{"prefill_ms": 250.0, "decode_ms": 5.0}}]}}))
"""
FAKE_LLAMA_BENCH = f"""\
#!{sys.executable}
import json, sys
decode = sys.argv[sys.argv.index("-n") + 1] != "0"
print(json.dumps([{{"samples_ts": [50.0, 60.0] if decode else [100.0, 110.0]}}]))
"""
KL_REPORT = """\
chunk             PPL               ln(PPL(Q)/PPL(base))          KL Divergence              Δp RMS            Same top p
   1      18.6498 ±    3.3854       0.01255 ±    0.00549       0.00348 ±    0.00019     1.334 ±  0.112 %    98.431 ±  0.780 %
Mean    KLD:   0.003120 ±   0.000090
Maximum KLD:   0.028132
99.9%   KLD:   0.026883
99.0%   KLD:   0.013534
Median  KLD:   0.002580
Same top p: 96.765 ± 0.554 %
"""


class Verdict(unittest.TestCase):
    def test_calls_whoever_is_ahead_in_every_round(self):
        self.assertEqual(peers.verdict([1.1, 1.03, 1.5], QUIET), "hyalite")
        self.assertEqual(peers.verdict([0.9, 0.97, 0.5], QUIET), "llama.cpp")

    def test_calls_nobody_inside_the_noise(self):
        for ratios in ([1.1, 1.01, 1.5], [0.9, 1.1, 1.2], [1.0, 1.0, 1.0]):
            self.assertIn("inside the noise", peers.verdict(ratios, QUIET))

    def test_calls_nobody_after_few_rounds_or_on_a_busy_machine(self):
        self.assertIn("1 of at least 3 rounds", peers.verdict([2.0], [0.0]))
        self.assertIn("others used 30%", peers.verdict([2.0, 2.0, 2.0], [0.0, 0.3, 0.0]))


class Peers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name, text in (("hyalite", FAKE_HYALITE), ("llama-bench", FAKE_LLAMA_BENCH), ("model.gguf", "weights")):
            (self.folder / name).write_text(text)
            (self.folder / name).chmod(0o755)

    def run_script(self, *arguments, llama=None):
        command = [sys.executable, ROOT / "bench/peers.py", *arguments]
        environment = {**os.environ, "LLAMA_BIN": str(llama or self.folder)}
        return subprocess.run(list(map(str, command)), capture_output=True, text=True, env=environment)

    def test_keeps_every_sample_with_its_commands(self):
        done = self.run_script(
            self.folder / "model.gguf", "--rounds", 2, "--hyalite", self.folder / "hyalite", "--results", self.folder / "results"
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no verdict: 2 of at least 3 rounds", done.stdout)
        (path,) = (self.folder / "results").glob("*-cpu-peers.json")
        result = json.loads(path.read_text())
        self.assertTrue(result["commit"] and result["machine"]["cpus"])
        (model,) = result["models"]
        self.assertEqual(model["rounds"][1]["hyalite"], {"prefill": [512.0, 1024.0], "decode": [100.0, 200.0]})
        self.assertEqual(model["rounds"][0]["llama.cpp"], {"prefill": [100.0, 110.0], "decode": [50.0, 60.0]})
        self.assertEqual(model["decode"]["hyalite"]["median"], 150.0)
        self.assertAlmostEqual(model["decode"]["ratio"]["median"], 150 / 55)
        self.assertEqual(len(model["commands"]), 3)

    def test_says_what_is_missing_in_one_line(self):
        done = self.run_script(self.folder / "model.gguf", llama=self.folder / "nowhere")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.strip(), "peers.py: llama-bench is neither in $LLAMA_BIN nor on $PATH")

    def test_quotes_the_last_line_of_a_program_that_fails(self):
        (self.folder / "hyalite").write_text(f"#!{sys.executable}\nimport sys\nsys.exit('no such model')\n")
        done = self.run_script(self.folder / "model.gguf", "--hyalite", self.folder / "hyalite")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr.strip().splitlines()[-1], "^peers.py: .*hyalite benchmark .* ended with 1: no such model$")


class Quality(unittest.TestCase):
    def test_reads_the_report_of_llama_perplexity(self):
        wanted = {"top1_agreement": 0.96765, "kl_mean": 0.00312, "kl_standard_error": 9e-5, "kl_median": 0.00258, "kl_p99": 0.013534, "kl_max": 0.028132}
        read = quality.parse_llama(KL_REPORT)
        self.assertEqual(read.keys(), wanted.keys())
        for name, value in wanted.items():
            self.assertAlmostEqual(read[name], value, msg=name)

    def test_refuses_a_report_that_lacks_a_figure(self):
        with self.assertRaisesRegex(measuring.Failed, "printed no kl_p99"):
            quality.parse_llama(KL_REPORT.replace("99.0%", "98.0%"))

    def test_text_is_prose_of_the_length_asked_for(self):
        text = quality.english(20000)
        self.assertEqual(len(text), 20000)
        self.assertNotIn("  ", text)
        self.assertGreater(len(set(text.split())), 500)


class Measuring(unittest.TestCase):
    def test_counts_what_others_use_and_not_what_we_do(self):
        with measuring.Others() as idle:
            subprocess.run([sys.executable, "-c", "sum(range(10**6))"])
        self.assertTrue(0 <= idle.share <= 1)

    def test_table_has_straight_columns(self):
        lines = list(measuring.table(["a", "b", "c"], [["long", "x", 1], ["y", "z", 1000]]))
        self.assertEqual(lines, ["a     b     c", "long  x     1", "y     z  1000"])


if __name__ == "__main__":
    unittest.main()
