"""The measuring scripts of bench/, without a model: what they call a winner, what they read from llama.cpp, what they refuse."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.dom.minidom

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import engines  # noqa: E402
import measuring  # noqa: E402
import peers  # noqa: E402
import quality  # noqa: E402

QUIET = [0.0, 0.01, 0.02]

# Stand for the engines: print what the scripts read.
FAKE_HYALITE = f"""\
#!{sys.executable}
import json
print(json.dumps({{"samples": [{{"prefill_ms": 500.0, "decode_ms": 10.0}}, {{"prefill_ms": 250.0, "decode_ms": 5.0}}]}}))
"""
FAKE_LLAMA_BENCH = f"""\
#!{sys.executable}
import json, sys
flags = dict(zip(sys.argv[1:], sys.argv[2:]))
decode = int(flags["-n"])
if "-gp" in flags:
    decode = int(flags["-gp"].split(",")[1])
row = {{"n_prompt": 0, "n_gen": decode, "samples_ts": [50.0, 60.0]}} if decode else {{"n_prompt": int(flags["-p"].split(",")[-1]), "n_gen": 0}}
print(json.dumps([{{"n_prompt": 1, "n_gen": 1, "samples_ts": [1.0]}}, {{"samples_ts": [100.0, 110.0], **row}}]))
"""
FAKE_BATCHED_BENCH = f"""\
#!{sys.executable}
print("main: n_kv_max = 1")
print('{{"pl": 16, "speed_tg": 77.0}}')
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
        self.assertEqual(peers.verdict([1.1, 1.03, 1.5], QUIET, "llama.cpp"), "hyalite")
        self.assertEqual(peers.verdict([0.9, 0.97, 0.5], QUIET, "llama.cpp"), "llama.cpp")

    def test_calls_nobody_inside_the_noise(self):
        for ratios in ([1.1, 1.01, 1.5], [0.9, 1.1, 1.2], [1.0, 1.0, 1.0]):
            self.assertIn("inside the noise", peers.verdict(ratios, QUIET, "llama.cpp"))

    def test_calls_nobody_after_few_rounds_or_on_a_busy_machine(self):
        self.assertIn("1 of at least 3 rounds", peers.verdict([2.0], [0.0], "llama.cpp"))
        self.assertIn("others used 30%", peers.verdict([2.0, 2.0, 2.0], [0.0, 0.3, 0.0], "llama.cpp"))

    def test_holds_us_against_the_best_peer(self):
        def turn(**rates):
            return {"engines": {name: {"rates": [rate], "command": name} for name, rate in rates.items()}, "others": 0.0}

        rounds = [turn(hyalite=30, slow=10, fast=20)] * 3
        block = peers.judge("model", engines.CASES[0], rounds, {"broken": "no such flag"})
        self.assertEqual((block["best_peer"], block["ratio"]["median"], block["verdict"]), ("fast", 1.5, "hyalite"))
        self.assertEqual(block["engines"]["broken"], {"error": "no such flag"})


class Peers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        fakes = {"hyalite": FAKE_HYALITE, "llama-bench": FAKE_LLAMA_BENCH, "llama-batched-bench": FAKE_BATCHED_BENCH, "model.gguf": "weights"}
        for name, text in fakes.items():
            (self.folder / name).write_text(text)
            (self.folder / name).chmod(0o755)

    def run_script(self, *arguments, **folders):
        own = {"--hyalite": self.folder / "hyalite", "--results": self.folder / "results"}
        command = [sys.executable, ROOT / "bench/peers.py", self.folder / "model.gguf", *(word for pair in own.items() for word in pair), *arguments]
        environment = {**os.environ, **{name: str(self.folder / "nowhere") for name in ("LLAMA_BIN", "LLAMA_AVX2_BIN", "IK_BIN", "OPENVINO_PYTHON")}}
        environment.update({name: str(folder) for name, folder in folders.items()})
        return subprocess.run(list(map(str, command)), capture_output=True, text=True, env=environment)

    def results(self):
        (path,) = (self.folder / "results").glob("*-cpu-peers.json")
        return path, json.loads(path.read_text())

    def cases(self):
        return {case["case"]: case for case in self.results()[1]["cases"]}

    def test_keeps_every_sample_with_its_command(self):
        done = self.run_script("--rounds", 2, LLAMA_BIN=self.folder, IK_BIN=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no verdict: 2 of at least 3 rounds", done.stdout)
        path, result = self.results()
        self.assertTrue(result["commit"] and result["machine"]["cpus"])
        cases = self.cases()
        self.assertEqual(set(cases), {case.name for case in engines.CASES})
        self.assertEqual(cases["prefill-256"]["engines"]["hyalite"]["runs"], [[512.0, 1024.0]] * 2)
        self.assertEqual(cases["prefill-2048"]["engines"]["llama.cpp"]["runs"], [[100.0, 110.0]] * 2)
        self.assertEqual(cases["depth-8128"]["engines"]["ik_llama.cpp"]["runs"], [[50.0, 60.0]] * 2)
        self.assertEqual(cases["decode-32"]["engines"]["hyalite"]["rate"]["median"], 150.0)
        self.assertAlmostEqual(cases["decode-32"]["ratio"]["median"], 150 / 55)
        self.assertEqual(cases["batch-16"]["engines"]["llama.cpp"]["runs"], [[77.0]] * 2)
        self.assertNotIn("ik_llama.cpp", cases["batch-16"]["engines"])
        self.assertEqual(list(cases["avx2-decode-32"]["engines"]), ["hyalite"])
        self.assertIn("--isa avx2", cases["avx2-decode-32"]["engines"]["hyalite"]["command"])
        self.assertNotIn(str(self.folder), path.read_text())
        rows = path.with_suffix(".csv").read_text().splitlines()
        self.assertIn("model,decode-32,llama.cpp,55.00,55.00,55.00,2,", rows)
        drawing = xml.dom.minidom.parse(str(path.with_suffix(".svg")))
        self.assertGreater(len(drawing.getElementsByTagName("title")), len(cases))

    def test_goes_on_where_it_was_left(self):
        self.run_script("--rounds", 1, "--case", "decode-32")
        self.assertEqual(list(self.cases()), ["decode-32"])
        again = self.run_script("--rounds", 1, "--case", "decode-32", "--case", "prefill-256")
        self.assertEqual(again.stderr.count("measured before"), 1)
        self.assertEqual(set(self.cases()), {"decode-32", "prefill-256"})
        self.run_script("--rounds", 1, "--case", "decode-32", LLAMA_BIN=self.folder)  # a peer that was not there
        self.assertIn("llama.cpp", self.cases()["decode-32"]["engines"])
        self.assertEqual(set(self.cases()), {"decode-32", "prefill-256"})

    def test_a_peer_that_fails_is_left_out_with_its_last_line(self):
        (self.folder / "llama-bench").write_text(f"#!{sys.executable}\nimport sys\nsys.exit('unknown model')\n")
        done = self.run_script("--rounds", 1, "--case", "decode-32", LLAMA_BIN=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("ended with 1: unknown model", self.cases()["decode-32"]["engines"]["llama.cpp"]["error"])

    def test_says_which_peers_are_missing(self):
        done = self.run_script("--rounds", 1, "--case", "prefill-256")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("without llama.cpp: llama-bench is neither in $LLAMA_BIN nor on $PATH", done.stderr)
        self.assertIn("without openvino: the Python in $OPENVINO_PYTHON has no openvino_genai", done.stderr)

    def test_quotes_the_last_line_where_hyalite_fails(self):
        (self.folder / "hyalite").write_text(f"#!{sys.executable}\nimport sys\nsys.exit('no such model')\n")
        done = self.run_script()
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
    def test_a_child_that_still_runs_is_one_of_us(self):
        before = measuring.Others._own()
        with subprocess.Popen([sys.executable, "-c", "sum(range(10**7)); print(1, flush=True); input()"], stdin=-1, stdout=-1) as child:
            child.stdout.readline()
            self.assertGreater(measuring.Others._own() - before, 0.05)
            child.communicate(b"\n")

    def test_counts_what_others_use_and_not_what_we_do(self):
        with measuring.Others() as idle:
            subprocess.run([sys.executable, "-c", "sum(range(10**6))"])
        self.assertTrue(0 <= idle.share <= 1)

    def test_table_has_straight_columns(self):
        lines = list(measuring.table(["a", "b", "c"], [["long", "x", 1], ["y", "z", 1000]]))
        self.assertEqual(lines, ["a     b     c", "long  x     1", "y     z  1000"])


if __name__ == "__main__":
    unittest.main()
