import struct
import unittest

from cli_case import CliCase, artifact, edit_weights, run, scratch, tiny

PROMPT = "the cat sat on the mat and the cat sat on the mat and the cat"


class Speculation(CliCase):
    def answer(self, *flags, model=None, count=60):
        return self.json_of("run", model or tiny(), "--raw", "--prompt", PROMPT, "--max-new-tokens", count, "--ignore-eos", *flags)

    def assertSameAnswer(self, one, other):
        for name in ("token_ids", "text", "finish_reason", "usage", "logprobs"):
            self.assertEqual(one.get(name), other.get(name), name)

    def test_answers_are_those_of_plain_decoding(self):
        draft = ("--draft-model", tiny(seed=2))
        for sampling in (["--temperature", 0, "--logprobs", 2], ["--temperature", 1, "--seed", 3, "--repeat-penalty", 1.1, "--stop", "zq"]):
            plain = self.answer(*sampling)
            for flags in (["--speculative", "ngram"], draft, ["--speculative", "draft", *draft, "--draft-tokens", 3]):
                with self.subTest(sampling=sampling, flags=flags):
                    self.assertSameAnswer(self.answer(*sampling, *flags), plain)

    def test_a_draft_that_is_not_finite_guesses_nothing(self):
        def spoil(header, data):
            struct.pack_into("<f", data, header["model.norm.weight"]["data_offsets"][0], float("nan"))

        draft = scratch("draft")
        self.done("make-tiny", draft, "--seed", 2)
        edit_weights(draft, spoil)
        spoiled = self.answer("--temperature", 0, "--draft-model", draft)
        self.assertSameAnswer(spoiled, self.answer("--temperature", 0))
        self.assertEqual(spoiled["timings"]["speculative"]["drafted"], 0)

    def test_timings_count_guesses(self):
        self.assertNotIn("speculative", self.answer()["timings"])
        counts = self.answer("--temperature", 0, "--draft-model", tiny())["timings"]["speculative"]
        self.assertEqual(counts["accepted"], counts["drafted"])  # the model itself
        self.assertEqual(counts["acceptance_rate"], 1)
        self.assertEqual(counts["steps"] + counts["accepted"], 59)
        d = self.done("run", tiny(), "--raw", "--prompt", PROMPT, "--max-new-tokens", 20, "--ignore-eos", "--draft-model", tiny())
        self.assertRegex(d.err, r"\d+ of \d+ guesses right in \d+ steps")

    def test_chat_speculates_too(self):
        asked = "the cat sat on the mat\nthe cat sat on the mat\n"
        flags = ("chat", tiny(), "--temperature", 0, "--max-new-tokens", 30, "--json")
        self.assertEqual(run(*flags, "--speculative", "ngram", stdin=asked).json, run(*flags, stdin=asked).json)

    def test_an_artifact_has_room_for_the_guesses_it_was_compiled_for(self):
        made = artifact("--draft-tokens", 4)
        self.assertSameAnswer(self.answer("--speculative", "ngram", "--draft-tokens", 4, model=made), self.answer(model=made))
        error = self.refused(2, "run", made, "--raw", "--prompt", "a", "--speculative", "ngram", "--draft-tokens", 5)
        self.assertIn("at most 4 draft tokens, not 5", error)

    def test_memory_for_guesses_is_planned(self):
        plain, wide = (self.json_of("plan", tiny(), "--prefill-chunk", 1, *flags) for flags in ([], ["--draft-tokens", 15]))
        self.assertGreater(wide["bytes"]["activations"], 8 * plain["bytes"]["activations"])
        self.assertEqual(wide["bytes"]["weights"], plain["bytes"]["weights"])

    def test_refuses_what_makes_no_sense(self):
        for flags, word in (
            (["--speculative", "x"], "none, ngram or draft"),
            (["--speculative", "draft"], "--draft-model"),
            (["--speculative", "ngram", "--draft-model", tiny()], "--draft-model"),
            (["--draft-tokens", 3], "--speculative"),
            (["--speculative", "ngram", "--draft-tokens", 0], "--draft-tokens"),
            (["--speculative", "ngram", "--numerics", "fast"], "--numerics fast"),
        ):
            with self.subTest(flags=flags):
                self.assertIn(word, self.refused(2, "run", tiny(), "--raw", "--prompt", "a", *flags))
        self.refused(3, "run", tiny(), "--raw", "--prompt", "a", "--draft-model", scratch("nothing"))


if __name__ == "__main__":
    unittest.main()
