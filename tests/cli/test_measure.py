"""plan, benchmark, perplexity, kl, kernels, profile, audit."""

import json
import os
import shutil
import unittest

import cli_case
from cli_case import ROOT, CliCase, artifact, edit_json, run, scratch, tiny

STATES = {"ready", "absent", "unavailable"}
POLICIES = {"always", "madvise", "never", "unknown"}  # who gets huge pages


class Plan(CliCase):
    def test_fields(self):
        d = self.json_of("plan", tiny())
        self.assertFields(d, "bytes", "fits")
        self.assertFields(d["bytes"], "weights", "kv", "activations", "workspace", "total")
        self.assertIs(d["fits"], True)
        self.assertGreaterEqual(d["devices"][0]["numa_nodes"], 1)
        self.assertIn(d["devices"][0]["huge_pages"], POLICIES)
        self.assertEqual(d["bytes"]["total"], sum(v for k, v in d["bytes"].items() if k != "total"))

    def test_the_cache_grows_with_length_batch_and_format(self):
        def cache(*flags):
            return self.json_of("plan", tiny(), *flags)["bytes"]["kv"]

        base = cache("--max-seq", 1024)
        self.assertAlmostEqual(cache("--max-seq", 2048) / base, 2, delta=0.2)
        self.assertAlmostEqual(cache("--max-seq", 1024, "--max-batch", 4) / base, 4, delta=0.4)
        self.assertAlmostEqual(cache("--max-seq", 1024, "--kv-dtype", "f32") / base, 2, delta=0.01)
        with open(os.path.join(tiny(), "config.json")) as file:
            config = json.load(file)
        head_dim = config["hidden_size"] // config["num_attention_heads"]
        eight_bits = cache("--max-seq", 1024, "--kv-dtype", "q8_0")
        self.assertAlmostEqual(eight_bits / base, (head_dim + 4) / (2 * head_dim), delta=0.01, msg="a byte an element, a scale a head")

    def test_table(self):
        out = self.done("plan", tiny()).out
        self.assertIn("fits", out)
        self.assertRegex(out, "[1-9][0-9]* NUMA node.*huge pages: (always|madvise|never|unknown)")

    def test_says_when_it_assumed_the_whole_context(self):
        self.assertRegex(self.done("plan", tiny()).out, "2048 tokens, the whole context")
        self.assertNotIn("whole context", self.done("plan", tiny(), "--max-seq", 64).out)

    def test_an_artifact_is_planned_as_it_was_compiled(self):
        made = scratch("artifact")
        self.done("compile", tiny(), "-o", made, "--max-seq", 512)
        of_model, of_artifact = (self.json_of("plan", model, "--max-seq", 512)["bytes"] for model in (tiny(), made))
        for part in ("kv", "activations"):
            self.assertEqual(of_artifact[part], self.json_of("plan", tiny(), "--max-seq", 512, "--max-batch", 1)["bytes"][part])
        self.assertGreaterEqual(of_artifact["weights"], of_model["weights"])
        self.assertEqual(self.json_of("plan", made)["max_seq"], 512)
        self.assertLess(self.json_of("plan", made, "--max-seq", 128)["bytes"]["kv"], of_artifact["kv"])
        self.assertIn("512", self.refused(2, "plan", made, "--max-seq", 1024))
        self.assertIn("sequences", self.refused(2, "plan", made, "--max-batch", 100))


class Benchmark(CliCase):
    def test_fields(self):
        d = self.json_of("benchmark", tiny(), "--prompt-tokens", 32, "--decode-tokens", 4, "--repeats", 3, "--warmup", 0, "--batch", 2)
        self.assertFields(
            d,
            *"prompt_tokens decode_tokens prefill_ms_avg decode_ms_avg prefill_tokens_per_s decode_tokens_per_s samples".split(),
            *"kv_cache machine huge_page_bytes build".split(),
        )
        self.assertGreaterEqual(d["machine"]["numa_nodes"], 1)
        self.assertIn(d["machine"]["huge_pages"], POLICIES)
        self.assertFields(d["kv_cache"], "page_size", "layers")
        self.assertGreaterEqual(len(d["samples"]), 3)
        self.assertAlmostEqual(d["prefill_tokens_per_s"], 2 * 32 / d["prefill_ms_avg"] * 1e3, delta=1)
        self.assertAlmostEqual(d["decode_tokens_per_s"], 2 / d["decode_ms_avg"] * 1e3, delta=1)

    def test_more_threads_than_cores_is_a_remark(self):
        flags = (tiny(), "--prompt-tokens", 4, "--decode-tokens", 2, "--repeats", 1, "--warmup", 0)
        many = 4 * os.cpu_count()
        told = self.done("benchmark", *flags, "--threads", many).err
        self.assertRegex(told, f"remark: {many} threads take turns on the [0-9]+ CPU")
        self.assertEqual(told.count("take turns"), 1)
        self.assertNotIn("turns", self.done("benchmark", *flags, "--threads", 1).err)
        self.assertNotIn("turns", self.done("benchmark", *flags, "--threads", many, "--quiet").err)

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

    def test_every_step_is_held_against_its_roofline(self):
        d = self.json_of("benchmark", tiny(), "--prompt-tokens", 32, "--decode-tokens", 4, "--repeats", 1)
        by_mode = {mode: [one for one in d["steps"] if one["mode"] == mode] for mode in ("prefill", "decode")}
        for mode, steps in by_mode.items():
            self.assertGreater(len(steps), 5, mode)
            self.assertEqual(len(steps), len({(one["variant"], one["shape"]) for one in steps}), "grouped by variant and shape")
            self.assertAlmostEqual(sum(one["time_share"] for one in steps), 1, places=6)
            self.assertAlmostEqual(sum(one["measured_us"] * one["steps"] for one in steps) / 1e3, d["observed"][mode]["ms"], places=6)
        for one in d["steps"]:
            self.assertAlmostEqual(one["roofline_share"], one["floor_us"] / one["measured_us"], places=6)
            rate = {"int8": d["machine"]["int8_ops_per_s"], "f32": d["machine"]["f32_flops_per_s"]}[one["arithmetic"]]
            floor = max(one["bytes"] / d["machine"]["read_bytes_per_s"], one["flops"] / rate) * 1e6
            self.assertAlmostEqual(one["floor_us"] / floor, 1, places=6)
        self.assertEqual(d["observed"]["prefill"]["tokens"], 32)
        self.assertEqual(d["observed"]["decode"]["cached"], 32)
        steps = self.json_of("inspect", artifact(), "--schedule")["steps"]
        self.assertGreaterEqual(d["barriers"]["decode_per_step"], len(steps))
        self.assertFields(d["barriers"], "ns", "decode_us", "decode_share")
        self.assertIn("of roofline", self.done("benchmark", tiny(), "--repeats", 1).out)

    def test_refuses_more_than_the_context(self):
        self.assertIn("2048", self.refused(1, "benchmark", tiny(), "--prompt-tokens", 4000))
        self.assertIn("2048", self.refused(1, "benchmark", tiny(), "--depth", 2000))


def prose(words=20, first=""):
    path = scratch("text")
    with open(path, "w", encoding="utf-8") as file:
        file.write((first + "the cat sat on the mat and looked at the door " * words).strip())
    return path


class Perplexity(CliCase):
    def test_fields(self):
        d = self.json_of("perplexity", tiny(), "--file", prose(), "--ctx", 64)
        self.assertFields(d, "perplexity", "tokens")
        self.assertGreater(d["perplexity"], 1)
        self.assertGreater(d["tokens"], 64)
        low, high = d["perplexity_ci95"]
        self.assertTrue(low < d["perplexity"] < high)

    def test_few_tokens_give_no_interval(self):
        self.assertIsNone(self.json_of("perplexity", tiny(), "--file", prose(), "--ctx", 64, "--windows", 2)["perplexity_ci95"])

    def test_windows_limit_the_text(self):
        d = self.json_of("perplexity", tiny(), "--file", prose(), "--ctx", 64, "--windows", 2)
        self.assertEqual((d["windows"], d["tokens"]), (2, 62))

    def test_worst_tokens_stand_in_their_text(self):
        text = prose(5)
        d = self.json_of("perplexity", tiny(), "--file", text, "--ctx", 64, "--worst", 5)
        self.assertEqual(len(d["worst"]), 5)
        self.assertEqual([one["nats"] for one in d["worst"]], sorted((one["nats"] for one in d["worst"]), reverse=True))
        with open(text, encoding="utf-8") as file:
            whole = file.read()
        for one in d["worst"]:
            self.assertIn(one["before"] + one["text"], whole)
            self.assertGreaterEqual(one["choice"]["probability"], one["probability"])
        self.assertIn("[", self.done("perplexity", tiny(), "--file", text, "--ctx", 64).out)

    def test_refuses_a_text_shorter_than_a_window(self):
        self.refused(2, "perplexity", tiny(), "--file", prose(1), "--ctx", 512)
        self.assertIn("2048", self.refused(1, "perplexity", tiny(), "--file", prose(1), "--ctx", 2049))
        self.assertIn("256", self.refused(2, "perplexity", artifact(), "--file", prose(1), "--ctx", 257))
        self.assertIn("nowhere.txt", self.refused(1, "perplexity", tiny(), "--file", "nowhere.txt"))


class Kl(CliCase):
    FIELDS = "kl_mean kl_mean_ci95 kl_p99 kl_max top1_agreement perplexity base_perplexity perplexity_ratio_ci95 worst".split()

    def base(self, *flags, model=None, text=None):
        path = scratch("base")
        self.done("kl", model or tiny(), "--write-base", path, "--file", text or prose(), "--ctx", 64, *flags)
        return path

    def with_swapped_tokens(self):
        """The tiny model with the last two ids of its vocabulary exchanged."""

        def swap(document):
            vocab = document["model"]["vocab"]
            one, other = sorted(vocab, key=vocab.get)[-2:]
            vocab[one], vocab[other] = vocab[other], vocab[one]

        path = scratch("swapped")
        shutil.copytree(tiny(), path)
        edit_json(os.path.join(path, "tokenizer.json"), swap)
        return path

    def test_of_a_model_to_itself_is_nothing(self):
        d = self.json_of("kl", tiny(), tiny(), "--file", prose(), "--ctx", 64)
        self.assertFields(d, *self.FIELDS)
        self.assertEqual((d["kl_mean"], d["kl_max"], d["top1_agreement"], d["perplexity_ratio"]), (0, 0, 1, 1))
        self.assertEqual(d["base"]["kl"], "exact")

    def test_of_two_models_and_of_numerics(self):
        other = self.json_of("kl", tiny(), tiny(seed=2), "--file", prose(), "--ctx", 64, "--worst", 3)
        self.assertGreater(other["kl_mean"], 0.1)
        self.assertLess(other["top1_agreement"], 1)
        self.assertEqual(len(other["worst"]), 3)
        self.assertEqual(other["worst"][0]["kl"], other["kl_max"])
        self.assertFields(other["worst"][0], "text", "before", "position", "base_choice", "choice", "base_probability", "probability")
        self.assertTrue(other["kl_mean_ci95"][0] < other["kl_mean"] < other["kl_mean_ci95"][1])
        self.assertIn("lower bound", self.done("kl", self.base("--base-top", 50), tiny(seed=2)).out)

    def test_an_artifact_may_stand_on_either_side(self):
        d = self.json_of("kl", artifact(), tiny(), "--file", prose(), "--ctx", 64)
        self.assertEqual(d["kl_mean"], 0)
        self.assertEqual(self.json_of("kl", tiny(), artifact(), "--file", prose(), "--ctx", 64)["kl_mean"], 0)

    def test_a_base_file_bounds_the_whole_from_below(self):
        text = prose()
        whole = self.json_of("kl", tiny(), tiny(seed=2), "--file", text, "--ctx", 64)
        before = 0
        for kept in (10, 100, 1 << 16):
            part = self.json_of("kl", self.base("--base-top", kept, text=text), tiny(seed=2), "--file", text)
            self.assertGreaterEqual(part["kl_mean"], before - 1e-6)
            self.assertLessEqual(part["kl_mean"], whole["kl_mean"] + 1e-6)
            self.assertAlmostEqual(part["perplexity"], whole["perplexity"], places=6)
            self.assertAlmostEqual(part["base_perplexity"] / whole["base_perplexity"], 1, places=5)
            self.assertEqual(part["top1_agreement"], whole["top1_agreement"])
            before = part["kl_mean"]
        self.assertAlmostEqual(before, whole["kl_mean"], places=5)
        self.assertEqual(part["base"]["kl"], "exact")

    def test_a_base_in_llama_cpps_format(self):
        text = prose()
        whole = self.json_of("kl", tiny(), tiny(seed=2), "--file", text, "--ctx", 64)
        path = self.base("--base-format", "llama.cpp", text=text)
        with open(path, "rb") as file:
            self.assertEqual(file.read(8), b"_logits_")
        d = self.json_of("kl", path, tiny(seed=2))
        self.assertEqual(d["base"]["kl"], "estimate")
        self.assertAlmostEqual(d["kl_mean"], whole["kl_mean"], places=3)

    def test_another_text_or_vocabulary_is_told(self):
        path = self.base()
        said = self.refused(2, "kl", path, tiny(), "--file", prose(20, first="A dog. "))
        self.assertIn("is not the text of", said)
        self.assertIn("token 0 is 'A'", said)
        self.assertIn("is missing", self.refused(2, "kl", path, tiny(), "--file", prose(10)))
        self.assertIn("other tokens in its vocabulary", self.refused(2, "kl", path, self.with_swapped_tokens()))
        said = self.refused(2, "kl", tiny(), self.with_swapped_tokens(), "--file", prose(), "--ctx", 64)
        self.assertRegex(said, "different vocabularies: id [0-9]+ is '.+' in the base and '.+' in the other")

    def test_a_damaged_base_is_an_invalid_artifact(self):
        path = self.base()
        with open(path, "r+b") as file:
            file.seek(200)
            file.write(b"\xff")
        self.assertIn("digest", self.refused(3, "kl", path, tiny()))
        os.truncate(path, 150)
        self.assertIn(path, self.refused(3, "kl", path, tiny()))
        path = self.base("--base-format", "llama.cpp")
        with open(path, "r+b") as file:
            file.seek(20 + 4 * 63)  # the last token of the first window
            file.write(b"\x00\xff\xff\x7f")
        said = self.refused(3, "kl", path, tiny())
        self.assertIn("token 63 is 2147483392", said)
        self.assertIn("offset 272", said)

    def test_refuses_what_makes_no_sense(self):
        path = self.base()
        self.assertIn("--file", self.refused(2, "kl", tiny(), tiny()))
        self.assertIn("OTHER", self.refused(2, "kl", tiny(), "--file", prose()))
        self.assertIn("OTHER", self.refused(2, "kl", tiny(), tiny(), "--file", prose(), "--write-base", scratch("base")))
        self.assertIn("windows of 64", self.refused(2, "kl", path, tiny(), "--ctx", 32))
        self.assertIn("--windows", self.refused(2, "kl", path, tiny(), "--windows", 1))


class Kernels(CliCase):
    def test_lists_variants_and_says_why_not(self):
        variants = self.json_of("kernels", "--isa", "scalar")["variants"]
        self.assertGreater(len(variants), 20)
        for one in variants:
            self.assertFields(one, "name", "op", "needs", "usable", "why_not")
            self.assertEqual(one["usable"], not one["why_not"])
        self.assertTrue(any("needs" in one["why_not"] for one in variants), "scalar refuses AVX2 variants by name")

    def test_a_provider_is_ready_or_says_what_is_missing(self):
        (variant,) = [one for one in self.json_of("kernels")["variants"] if one["provider"] == "onednn"]
        (feature,) = [one for one in self.json_of("audit")["features"] if one["name"] == "provider: onednn"]
        self.assertEqual(feature["state"], "ready" if variant["usable"] else "unavailable")
        if not variant["usable"]:
            self.assertEqual(feature["evidence"], variant["why_not"])
            self.assertRegex(variant["why_not"], "needs (avx512|oneDNN 2 or 3|a oneDNN)")

    def test_counts_the_steps_of_a_model(self):
        variants = self.json_of("kernels", tiny())["variants"]
        self.assertGreater(sum(one["steps"] for one in variants), 20)

    def test_counts_the_steps_of_an_artifact(self):
        variants = self.json_of("kernels", artifact())["variants"]
        plans = [self.json_of("inspect", artifact(), "--mode", mode, "--schedule")["steps"] for mode in ("prefill", "decode")]
        self.assertEqual(sum(one["steps"] for one in variants), sum(map(len, plans)))


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
                else:
                    self.check_evidence(one["evidence"])

    def check_evidence(self, evidence):
        """A verb to run, a step of scripts/test.sh, or a test: a C++ or Python file, or a folder of pass tests."""
        program, *arguments = evidence.split()
        if program == "hyalite":
            self.done(*arguments)
        elif program == "scripts/test.sh":
            with open(os.path.join(ROOT, program), encoding="utf-8") as script:
                self.assertIn(f"step_{arguments[0]}() {{", script.read())
        else:
            self.assertRegex(evidence, r"(_test\.cpp|/test_\w+\.py|^tests/passes/[\w-]+)$")
            self.assertTrue(os.path.exists(os.path.join(ROOT, evidence)), evidence)

    def test_names_are_unique(self):
        names = [one["name"] for one in self.json_of("audit")["features"]]
        self.assertEqual(len(names), len(set(names)))


if __name__ == "__main__":
    unittest.main()
