"""plan, benchmark, perplexity, kernels, profile, audit."""

import os
import unittest

import cli_case
from cli_case import ROOT, CliCase, artifact, run, scratch, tiny

STATES = {"ready", "absent", "unavailable"}


class Plan(CliCase):
    def test_fields(self):
        d = self.json_of("plan", tiny())
        self.assertFields(d, "bytes", "fits")
        self.assertFields(d["bytes"], "weights", "kv", "activations", "workspace", "total")
        self.assertIs(d["fits"], True)
        self.assertEqual(d["bytes"]["total"], sum(v for k, v in d["bytes"].items() if k != "total"))

    def test_the_cache_grows_with_length_batch_and_format(self):
        def cache(*flags):
            return self.json_of("plan", tiny(), *flags)["bytes"]["kv"]

        base = cache("--max-seq", 1024)
        self.assertAlmostEqual(cache("--max-seq", 2048) / base, 2, delta=0.2)
        self.assertAlmostEqual(cache("--max-seq", 1024, "--max-batch", 4) / base, 4, delta=0.4)
        self.assertAlmostEqual(cache("--max-seq", 1024, "--kv-dtype", "f32") / base, 2, delta=0.01)

    def test_table(self):
        self.assertIn("fits", self.done("plan", tiny()).out)


class Benchmark(CliCase):
    def test_fields(self):
        d = self.json_of("benchmark", tiny(), "--prompt-tokens", 32, "--decode-tokens", 4, "--repeats", 3, "--warmup", 0, "--batch", 2)
        self.assertFields(
            d,
            *"prompt_tokens decode_tokens prefill_ms_avg decode_ms_avg prefill_tokens_per_s decode_tokens_per_s samples".split(),
            *"kv_cache machine build".split(),
        )
        self.assertFields(d["kv_cache"], "page_size", "layers")
        self.assertGreaterEqual(len(d["samples"]), 3)
        self.assertAlmostEqual(d["prefill_tokens_per_s"], 2 * 32 / d["prefill_ms_avg"] * 1e3, delta=1)
        self.assertAlmostEqual(d["decode_tokens_per_s"], 2 / d["decode_ms_avg"] * 1e3, delta=1)

    def test_depth_adds_what_the_cache_holds(self):
        def at(depth):
            flags = ("--depth", depth, "--prompt-tokens", 8, "--decode-tokens", 2, "--repeats", 2, "--warmup", 0)
            return self.json_of("benchmark", tiny(), *flags)

        shallow, deep = at(0), at(1000)
        self.assertEqual([shallow["depth"], deep["depth"]], [0, 1000])
        self.assertEqual(len(deep["samples"]), 2)
        plan = self.json_of("plan", tiny(), "--max-seq", 1024)["bytes"]["kv"]
        read = deep["decode_bytes_per_step"] - shallow["decode_bytes_per_step"]
        self.assertAlmostEqual(read / plan, 1000 / 1024, delta=0.01)

    def test_refuses_more_than_the_context(self):
        self.assertIn("2048", self.refused(1, "benchmark", tiny(), "--prompt-tokens", 4000))
        self.assertIn("2048", self.refused(1, "benchmark", tiny(), "--depth", 2000))


class Perplexity(CliCase):
    def text(self, words):
        path = scratch("text")
        with open(path, "w", encoding="utf-8") as file:
            file.write("the cat sat on the mat and looked at the door " * words)
        return path

    def test_fields(self):
        d = self.json_of("perplexity", tiny(), "--file", self.text(20), "--ctx", 64)
        self.assertFields(d, "perplexity", "tokens")
        self.assertGreater(d["perplexity"], 1)
        self.assertGreater(d["tokens"], 64)

    def test_refuses_a_text_shorter_than_a_window(self):
        self.refused(2, "perplexity", tiny(), "--file", self.text(1), "--ctx", 512)
        self.assertIn("2048", self.refused(1, "perplexity", tiny(), "--file", self.text(1), "--ctx", 2049))
        self.assertIn("256", self.refused(2, "perplexity", artifact(), "--file", self.text(1), "--ctx", 257))
        self.assertIn("nowhere.txt", self.refused(1, "perplexity", tiny(), "--file", "nowhere.txt"))


class Kernels(CliCase):
    def test_lists_variants_and_says_why_not(self):
        variants = self.json_of("kernels", "--isa", "scalar")["variants"]
        self.assertGreater(len(variants), 20)
        for one in variants:
            self.assertFields(one, "name", "op", "needs", "usable", "why_not")
            self.assertEqual(one["usable"], not one["why_not"])
        self.assertTrue(any("needs" in one["why_not"] for one in variants), "scalar refuses AVX2 variants by name")

    def test_counts_the_steps_of_a_model(self):
        variants = self.json_of("kernels", tiny())["variants"]
        self.assertGreater(sum(one["steps"] for one in variants), 20)


class Profile(CliCase):
    def test_fields(self):
        d = self.json_of("profile")
        self.assertFields(d, "cpu", "cuda", "bandwidth")
        self.assertFields(d["cpu"], "cpu_model", "cores", "isa", "l1_bytes", "l2_bytes", "l3_bytes")

    def test_calibration_is_kept_and_used(self):
        cache = scratch("cache")
        environment = cli_case.ENVIRONMENT
        try:
            cli_case.ENVIRONMENT = {**environment, "XDG_CACHE_HOME": cache}
            self.assertIs(self.json_of("profile")["bandwidth"]["measured"], False)
            figures = self.json_of("profile", "--calibrate", "--sample-mb", 8, "--repeats", 2)["bandwidth"]
            self.assertEqual(len(figures["read"]["samples"]), 2)
            self.assertGreater(figures["read"]["median"], 0)
            self.assertEqual(self.json_of("profile")["bandwidth"]["read"]["samples"], figures["read"]["samples"])
            bench = self.json_of("benchmark", tiny(), "--prompt-tokens", 4, "--decode-tokens", 1, "--repeats", 1)
            self.assertEqual(bench["machine"]["read_bytes_per_s"], figures["read"]["median"])
            with open(os.path.join(cache, "hyalite", "machine.json"), "w") as file:
                file.write("{}")
            spoilt = run("plan", tiny())
            self.assertEqual(spoilt.code, 0)
            self.assertIn("machine.json", spoilt.err)
        finally:
            cli_case.ENVIRONMENT = environment


class Audit(CliCase):
    def test_every_ready_feature_has_a_check_that_exists(self):
        features = self.json_of("audit")["features"]
        self.assertGreater(len(features), 60)
        for one in features:
            with self.subTest(feature=one["name"]):
                self.assertIn(one["state"], STATES)
                if one["state"] != "ready":
                    self.assertTrue(one["evidence"])
                elif one["evidence"].startswith("hyalite "):
                    self.done(*one["evidence"].split()[1:])
                else:
                    self.assertTrue(os.path.exists(os.path.join(ROOT, one["evidence"])), one["evidence"])

    def test_names_are_unique(self):
        names = [one["name"] for one in self.json_of("audit")["features"]]
        self.assertEqual(len(names), len(set(names)))

    def test_an_artifact_is_no_checkpoint_for_plan(self):
        self.refused(2, "plan", artifact())


if __name__ == "__main__":
    unittest.main()
