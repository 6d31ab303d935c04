import json
import os
import unittest

from cli_case import REAL_MODEL, ROOT, CliCase, drop_tensor, edit_weights, needs_real_model, run, scratch, tiny


class Run(CliCase):
    def answer(self, *flags, model=None, prompt="The cat", count=12):
        return self.json_of("run", model or tiny(), "--raw", "--prompt", prompt, "--max-new-tokens", count, "--ignore-eos", *flags)

    def test_json_fields(self):
        d = self.answer("--temperature", 0)
        self.assertFields(d, "text", "prompt_token_ids", "token_ids", "finish_reason", "usage", "timings")
        self.assertFields(d["usage"], "prompt_tokens", "completion_tokens", "cached_tokens")
        self.assertFields(d["timings"], "load_ms", "prefill_ms", "decode_ms", "prefill_tokens_per_s", "decode_tokens_per_s")
        self.assertEqual(d["usage"]["prompt_tokens"], len(d["prompt_token_ids"]))
        self.assertEqual(d["usage"]["completion_tokens"], len(d["token_ids"]))
        self.assertEqual((d["finish_reason"], len(d["token_ids"])), ("length", 12))

    def test_text_is_streamed_to_standard_output_and_nothing_else(self):
        flags = ("run", tiny(), "--raw", "--prompt", "The cat", "--temperature", "0", "--max-new-tokens", 12, "--ignore-eos")
        self.assertEqual(self.done(*flags).out, self.json_of(*flags)["text"] + "\n")
        self.assertEqual(self.done(*flags, "-q").err, "")

    def test_greedy_is_the_same_however_it_is_computed(self):
        for family in ("llama", "qwen2", "qwen3", "gemma3"):
            first = self.answer("--temperature", 0, model=tiny(family), prompt="a" * 40)["token_ids"]
            for flags in (["--threads", 1], ["--threads", 2], ["--prefill-chunk", 1], ["--prefill-chunk", 7]):
                with self.subTest(family=family, flags=flags):
                    self.assertEqual(self.answer("--temperature", 0, *flags, model=tiny(family), prompt="a" * 40)["token_ids"], first)

    def test_the_same_seed_gives_the_same_answer(self):
        first = self.answer("--seed", 5, "--temperature", 1)["token_ids"]
        self.assertEqual(self.answer("--seed", 5, "--temperature", 1)["token_ids"], first)
        self.assertTrue(any(self.answer("--seed", s, "--temperature", 1)["token_ids"] != first for s in (6, 7)))

    def test_sampling_limits(self):
        greedy = self.answer("--temperature", 0)["token_ids"]
        for flags in (["--top-k", 1], ["--top-p", 1e-6], ["--min-p", 1]):
            self.assertEqual(self.answer("--temperature", 1, "--seed", 3, *flags)["token_ids"], greedy)

    def test_refuses_sampling_out_of_range(self):
        for flag, value in (("--temperature", -1), ("--top-p", 1.5), ("--min-p", -0.1), ("--repeat-penalty", 0), ("--logit-bias", "x")):
            with self.subTest(flag=flag):
                self.refused(2, "run", tiny(), "--raw", "--prompt", "a", flag, value)

    def test_logit_bias_forces_and_forbids(self):
        forced = self.answer("--temperature", 0, "--logit-bias", "65=1000")["token_ids"]
        self.assertEqual(set(forced), {65})
        greedy = self.answer("--temperature", 0)["token_ids"]
        self.assertNotIn(greedy[0], self.answer("--temperature", 0, "--logit-bias", f"{greedy[0]}=-1000")["token_ids"])

    def test_forbidding_every_token_is_a_usage_error(self):
        with open(os.path.join(tiny(), "config.json"), encoding="utf-8") as file:
            vocabulary = json.load(file)["vocab_size"]
        flags = [flag for id in range(vocabulary) for flag in ("--logit-bias", f"{id}=-inf")]
        self.assertIn("logit_bias: leaves no token", self.refused(2, "run", tiny(), "--raw", "--prompt", "a", *flags))

    def test_logprobs(self):
        d = self.answer("--temperature", 0, "--logprobs", 5)
        self.assertEqual(len(d["logprobs"]), len(d["token_ids"]))
        for entry, token in zip(d["logprobs"], d["token_ids"]):
            top = entry["top_logprobs"]
            self.assertEqual((len(top), top[0]["token_id"], entry["token_id"]), (5, token, token))
            values = [one["logprob"] for one in top]
            self.assertEqual(values, sorted(values, reverse=True))
            self.assertTrue(all(v <= 0 for v in values))

    def test_logprobs_are_not_asked_for_in_vain(self):
        self.assertIn("--json", self.refused(2, "run", tiny(), "--raw", "--prompt", "a", "--logprobs", 5))
        self.refused(2, "chat", tiny(), "--logprobs", 5)

    def test_stop_strings_cross_token_borders_and_are_left_out(self):
        text = self.answer("--logit-bias", "65=1000", "--temperature", 0)["text"]
        self.assertEqual(text, "b" * 12 if text[0] == "b" else text[0] * 12)
        d = self.answer("--logit-bias", "65=1000", "--temperature", 0, "--stop", text[0] * 3)
        self.assertEqual((d["text"], d["finish_reason"], len(d["token_ids"])), ("", "stop", 3))

    def test_a_prompt_over_the_context_is_refused_with_both_numbers(self):
        error = self.refused(1, "run", tiny(), "--raw", "--prompt", "x" * 40, "--max-seq", 16)
        self.assertRegex(error, r"\b40\b")
        self.assertRegex(error, r"\b16\b")

    def test_the_answer_ends_where_the_context_does(self):
        d = self.answer("--max-seq", 16, prompt="abcdefgh", count=100)
        self.assertEqual(d["finish_reason"], "length")
        self.assertEqual(d["usage"]["prompt_tokens"] + d["usage"]["completion_tokens"], 16)

    def test_chat_template_is_the_default(self):
        chat = self.json_of("run", tiny(), "--prompt", "hi", "--system", "be brief", "--max-new-tokens", 1)
        text = self.json_of("detokenize", tiny(), "--ids", ",".join(map(str, chat["prompt_token_ids"])))["text"]
        self.assertEqual(
            text, "<|im_start|>system\nbe brief<|im_end|>\n<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n"
        )

    def test_text_of_users_never_becomes_a_control_token(self):
        ids = self.json_of("run", tiny(), "--prompt", "<|im_end|>", "--max-new-tokens", 1)["prompt_token_ids"]
        end = self.json_of("tokenize", tiny(), "--text", "<|im_end|>")["token_ids"]
        self.assertEqual(len(end), 1)
        self.assertEqual(ids.count(end[0]), 1)

    def test_prompt_flags(self):
        self.refused(2, "run", tiny())
        self.refused(2, "run", tiny(), "--raw", "--chat", "--prompt", "a")
        self.refused(2, "run", tiny(), "--raw", "--system", "s", "--prompt", "a")
        file = scratch("prompt.txt")
        with open(file, "w", encoding="utf-8") as stream:
            stream.write("The cat")
        one = self.json_of("run", tiny(), "--raw", "--file", file, "--temperature", 0, "--max-new-tokens", 3)
        self.assertEqual(one["prompt_token_ids"], self.answer()["prompt_token_ids"])

    def test_a_prompt_from_a_pipe(self):
        for name in ("-", "/dev/stdin"):
            with self.subTest(name=name):
                d = run("run", tiny(), "--raw", "--file", name, "--max-new-tokens", 1, "--json", stdin="The cat").json
                self.assertEqual(d["prompt_token_ids"], self.answer(count=1)["prompt_token_ids"])
        self.assertIn("directory", self.refused(1, "run", tiny(), "--raw", "--file", os.path.dirname(tiny())))

    def test_an_empty_prompt_is_not_a_missing_one(self):
        self.assertIn("is missing", self.refused(2, "run", tiny(), "--raw"))
        self.assertIn("is empty", self.refused(2, "run", tiny(), "--raw", "--prompt", ""))
        self.assertGreater(self.json_of("run", tiny(), "--chat", "--prompt", "", "--max-new-tokens", 1)["usage"]["prompt_tokens"], 1)

    def test_refuses_seeds_that_are_none(self):
        for seed in (-1, 1 << 64, 1.5, "x"):
            with self.subTest(seed=seed):
                self.assertIn("--seed", self.refused(2, "run", tiny(), "--raw", "--prompt", "a", "--seed", seed))

    def test_numerics_and_kv_formats_run(self):
        formats = [["--kv-dtype", dtype] for dtype in ("f32", "bf16", "q8_0")]
        for flags in (["--numerics", "reference"], ["--numerics", "fast"], ["--isa", "scalar"], *formats):
            with self.subTest(flags=flags):
                self.assertEqual(len(self.answer("--temperature", 0, *flags)["token_ids"]), 12)

    def test_a_character_that_is_never_complete_is_marked(self):
        first = self.json_of("tokenize", tiny(), "--text", "\U0001f999")["token_ids"][-4:]
        self.assertEqual(self.json_of("detokenize", tiny(), "--ids", ",".join(map(str, first)))["text"][-1], "\U0001f999")
        self.assertEqual(self.json_of("detokenize", tiny(), "--ids", f"{first[0]},{first[1]}")["text"], "\ufffd")
        flags = ("--raw", "--prompt", "hi", "--logit-bias", f"{first[0]}=1000", "--temperature", 0)
        self.assertEqual(self.done("run", tiny(), *flags, "--max-new-tokens", 1, "-q").out, "\ufffd\n")
        self.assertEqual(self.done("run", tiny(), *flags, "--max-new-tokens", 3, "-q").out, "\ufffd" * 3 + "\n")

    def test_a_missing_weight_is_named(self):
        folder = scratch("holed")
        self.done("make-tiny", folder)
        edit_weights(folder, lambda header, data: drop_tensor(header, data, "model.norm.weight"))
        self.assertIn("model.norm.weight", self.refused(3, "run", folder, "--prompt", "a"))

    def test_padding_of_the_vocabulary_is_never_in_an_answer(self):
        """users.md T17: rows of the embedding that no token stands for."""
        with open(os.path.join(tiny(), "config.json"), encoding="utf-8") as file:
            config = json.load(file)
        ids = config["vocab_size"]
        config["vocab_size"] = ids + 5000
        path, padded = scratch("config.json"), scratch("padded")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(config, file)
        self.done("make-tiny", padded, "--config", path)
        for temperature in (0, 1, 100):
            with self.subTest(temperature=temperature):
                d = self.answer("--temperature", temperature, "--seed", 1, "--logprobs", 20, model=padded, count=100)
                self.assertLess(max(d["token_ids"]), ids)
                self.assertLess(max(one["token_id"] for token in d["logprobs"] for one in token["top_logprobs"]), ids)
        self.refused(2, "run", padded, "--raw", "--prompt", "a", "--logit-bias", f"{ids}=1")


@needs_real_model
class RealModel(CliCase):
    def test_answers_sensibly(self):
        d = self.json_of("run", REAL_MODEL, "--raw", "--prompt", "The capital of France is", "--temperature", 0, "--max-new-tokens", 8)
        self.assertIn("Paris", d["text"])

    def test_reference_numerics_equal_transformers(self):
        with open(os.path.join(ROOT, "tests", "models", "smollm2.json"), encoding="utf-8") as file:
            golden = json.load(file)
        for one in golden:
            flags = ("--raw", "--prompt", one["prompt"], "--max-new-tokens", 1, "--logprobs", len(one["top"]))
            reference = self.json_of("run", REAL_MODEL, *flags, "--numerics", "reference")
            self.assertEqual(reference["prompt_token_ids"], one["ids"])
            got = {t["token_id"]: t["logprob"] for t in reference["logprobs"][0]["top_logprobs"]}
            for token, logprob in one["top"][:-1]:  # the last may change places with the next
                self.assertAlmostEqual(got[token], logprob, delta=1e-3)
            self.assertEqual(self.json_of("run", REAL_MODEL, *flags)["token_ids"], reference["token_ids"])

    def test_a_head_read_coarsely_changes_nothing(self):
        for prompt in ("The capital of France is", "def fib(n):", "1, 2, 3,"):
            command = ("run", REAL_MODEL, "--raw", "--prompt", prompt, "--max-new-tokens", 40, "--ignore-eos")
            self.assertEqual(self.json_of(*command)["token_ids"], self.json_of(*command, "--logprobs", 1)["token_ids"])


if __name__ == "__main__":
    unittest.main()
