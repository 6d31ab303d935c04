"""tune, and what planning makes of its record."""

import json
import os
import unittest

import cli_case
from cli_case import CliCase, edit_json, run, scratch, tiny


class Tune(CliCase):
    @classmethod
    def setUpClass(cls):
        cls.before = cli_case.ENVIRONMENT
        cache = scratch("cache")
        cli_case.ENVIRONMENT = {**cls.before, "XDG_CACHE_HOME": cache}
        cls.file = os.path.join(cache, "hyalite", "tune.json")
        done = run("tune", tiny(), "--max-batch", 3, "--samples", 3, "--prefill-chunk", 32, "--json")
        cls.report = done.json if done.code == 0 else {"error": done.err}
        with open(cls.file) as file:
            cls.record = file.read()

    @classmethod
    def tearDownClass(cls):
        cli_case.ENVIRONMENT = cls.before

    def setUp(self):
        if not self.report["variants"]:
            self.skipTest("this machine has one instruction set only")
        with open(self.file, "w") as file:
            file.write(self.record)

    def compiled(self, *flags):
        path = scratch("artifact")
        result = self.done("compile", tiny(), "-o", path, "--max-seq", 128, "--prefill-chunk", 32, "--max-batch", 1, *flags)
        return path, result

    def steps(self, path, mode="decode"):
        return self.json_of("inspect", path, "--mode", mode, "--schedule")["steps"]

    def test_nothing_is_measured_that_cannot_be_kept(self):
        inside = os.path.join(scratch("file"), "hyalite")
        with open(os.path.dirname(inside), "w", encoding="utf-8"):
            pass
        before, cli_case.ENVIRONMENT = cli_case.ENVIRONMENT, {**cli_case.ENVIRONMENT, "XDG_CACHE_HOME": os.path.dirname(inside)}
        try:
            for command in (("tune", tiny()), ("profile", "--calibrate")):
                self.assertIn(f"{inside}: cannot make the directory", self.refused(1, *command))
        finally:
            cli_case.ENVIRONMENT = before

    def test_fields(self):
        self.assertFields(self.report, "model", "isa", "numerics", "threads", "problems", "changed", "variants", "tune_file")
        problems = {}
        for one in self.report["variants"]:
            self.assertFields(one, "problem", "name", "chosen", "default", "samples", "median_us", "min_us", "max_us", "spread_us", "gain")
            self.assertLessEqual(one["min_us"], one["median_us"])
            self.assertLessEqual(one["median_us"], one["max_us"])
            problems.setdefault(one["problem"], []).append(one)
        self.assertEqual(len(problems), self.report["problems"])
        for rivals in problems.values():
            self.assertGreater(len(rivals), 1)
            self.assertEqual([one["default"] for one in rivals], [True] + [False] * (len(rivals) - 1))
            self.assertEqual(sum(one["chosen"] for one in rivals), 1)
        changed = [one for one in self.report["variants"] if one["chosen"] and not one["default"]]
        self.assertEqual(len(changed), self.report["changed"])
        for one in changed:
            self.assertGreater(one["gain"], 1)

    def test_the_record_holds_the_evidence(self):
        record = json.loads(self.record)
        self.assertFields(record, "kind", "version", "cpu_model", "features", "cores", "hyalite", "variants", "choices")
        self.assertEqual(len(record["choices"]), self.report["problems"])

    def choose_the_last(self):
        """Turns every choice of the record to the variant that was listed last."""

        def change(record):
            for choice in record["choices"]:
                choice["variant"] = choice["timed"][-1]["variant"]

        edit_json(self.file, change)

    def test_plans_follow_the_record_and_say_so(self):
        self.choose_the_last()
        chosen = {choice["timed"][-1]["variant"] for choice in json.loads(self.record)["choices"]}
        path, result = self.compiled()
        self.assertEqual(result.err, "")
        tuned = [one for one in self.steps(path) if "tuned_us" in one]
        self.assertTrue(tuned)
        for one in tuned:
            self.assertIn(one["variant"], chosen)
            self.assertRegex(one["reason"], r"^tuned: [0-9.]+ us against [0-9.]+ us of \S+, \d+ samples")
            self.assertTrue(any("in the tune record" in other["why"] for other in one["refused"]), one)
        self.assertIn("in the tune record", self.done("inspect", path, "--schedule").out)
        variants = self.json_of("kernels", tiny(), "--prefill-chunk", 32)["variants"]
        self.assertGreater(sum(one["tuned_steps"] for one in variants), 0)
        for one in variants:
            self.assertLessEqual(one["tuned_steps"], one["steps"])
        # An artifact stays what it was compiled as.
        os.remove(self.file)
        self.assertEqual([one["reason"] for one in self.steps(path) if "tuned_us" in one], [one["reason"] for one in tuned])

    def test_no_token_depends_on_it(self):
        arguments = ("run", tiny(), "--raw", "--prompt", "the cat", "--max-new-tokens", 8, "--logprobs", 2)
        self.choose_the_last()
        tuned = self.json_of(*arguments)
        os.remove(self.file)
        plain = self.json_of(*arguments)
        for field in ("token_ids", "logprobs"):
            self.assertEqual(tuned[field], plain[field])

    def remark(self, change):
        edit_json(self.file, change)
        for verb in (["plan", tiny()], ["run", tiny(), "--raw", "--prompt", "a", "--max-new-tokens", 1, "--json"]):
            result = self.done(*verb)
            self.assertEqual(result.err.count("tune record"), 1, result.err)
            self.assertEqual(self.done(*verb, "-q").err, "")
        path, result = self.compiled()
        self.assertFalse([one for one in self.steps(path) if "tuned_us" in one])
        return next(line for line in result.err.splitlines() if "tune record" in line)

    def test_a_record_of_another_machine_is_told_plainly(self):
        self.assertIn("another machine: its CPU is Z80", self.remark(lambda record: record.update(cpu_model="Z80")))

    def test_a_stale_record_is_ignored(self):
        self.assertIn("is stale: Hyalite 0.0.1 made it", self.remark(lambda record: record.update(hyalite="0.0.1")))

    def test_a_damaged_record_is_ignored(self):
        said = self.remark(lambda record: record["choices"][0]["timed"][0].pop("samples"))
        self.assertIn("tune.json.choices[0].timed[0]: has no field samples", said)

    def test_what_is_known_of_other_problems_stays(self):
        self.done("tune", tiny(), "--max-batch", 1, "--samples", 2, "--threads", 1, "--prefill-chunk", 32)
        with open(self.file) as file:
            problems = {choice["problem"] for choice in json.load(file)["choices"]}
        self.assertTrue({choice["problem"] for choice in json.loads(self.record)["choices"]} <= problems)

    def test_the_table_marks_the_choice(self):
        said = self.done("tune", tiny(), "--max-batch", 1, "--samples", 2, "--prefill-chunk", 32).out
        self.assertRegex(said, r"(?m)^  \* \S+ +[0-9.]+ us  \([0-9.]+ to [0-9.]+, \d+ samples\)$")
        self.assertIn("tune.json", said)

    def test_refuses_what_makes_no_sense(self):
        self.assertIn("nothing to choose", self.refused(2, "tune", tiny(), "--numerics", "reference"))
        self.refused(2, "tune", tiny(), "--samples", 0)


class Reasons(CliCase):
    def test_each_batch_size_says_how_it_is_multiplied(self):
        for batch, says in ((1, "1 row: each weight is read once"), (7, "7 rows in tiles of 4, then 2 and 1"), (64, "64 rows in tiles of")):
            path = scratch("artifact")
            self.done("compile", tiny(), "-o", path, "--max-seq", 128, "--max-batch", batch)
            steps = self.json_of("inspect", path, "--schedule")["steps"]
            glu = [one["reason"] for one in steps if one["op"] == "fused_glu"]
            self.assertTrue(glu)
            for reason in glu:
                self.assertIn(says, reason)


if __name__ == "__main__":
    unittest.main()
