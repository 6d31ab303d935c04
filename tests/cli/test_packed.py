"""compile --quant: weights rounded to packed integers."""

import os
import unittest

from cli_case import CliCase, edit_json, scratch, tiny

GREEDY = ("--raw", "--prompt", "The cat sat on", "--temperature", "0", "--max-new-tokens", "8", "--ignore-eos")
FAMILIES = ("llama", "qwen2", "qwen3", "gemma3")


def text():
    path = scratch("text")
    with open(path, "w", encoding="utf-8") as file:
        file.write("The quick brown fox jumps over the lazy dog, and the cat sat on the mat. " * 40)
    return path


class Quant(CliCase):
    def compiled(self, *flags, family="llama"):
        out = scratch("a")
        return out, self.json_of("compile", tiny(family), "-o", out, "--max-seq", 128, *flags)

    def test_every_type_of_every_family_runs(self):
        for family in FAMILIES:
            for kind in ("int8", "int4", "int4_awq"):
                with self.subTest(family=family, kind=kind):
                    scaling = ("--calibrate", text()) if kind == "int4_awq" else ()
                    out, d = self.compiled("--quant", kind, *scaling, family=family)
                    tensors = {t["name"]: t for t in d["quantisation"]["tensors"]}
                    self.assertEqual(tensors["token_embd"]["to"], "int8")
                    wanted = "int8" if kind == "int8" else "int4_g64"
                    self.assertEqual(tensors["blk.0.attn_q"]["to"], wanted)
                    self.assertLess(d["quantisation"]["bytes_after"], d["quantisation"]["bytes_before"] / 2)
                    self.assertEqual(len(self.json_of("run", out, *GREEDY)["token_ids"]), 8)

    def test_options_that_do_nothing_are_refused(self):
        for flags in (("--calibrate", text()), ("--group-size", 32), ("--quant", "int8", "--calibrate", text()), ("--quant", "int8", "--group-size", 32)):
            with self.subTest(flags=flags):
                self.assertIn(flags[-2], self.refused(2, "compile", tiny(), "-o", scratch("a"), *flags))

    def test_instruction_sets_agree(self):
        answers = []
        for isa in ("scalar", "avx2", "auto"):
            out, _ = self.compiled("--quant", "int4", "--group-size", 32, "--isa", isa)
            d = self.json_of("run", out, *GREEDY, "--isa", isa, "--logprobs", 3)
            answers.append((d["token_ids"], d["logprobs"]))
        self.assertEqual(answers[0], answers[1])
        self.assertEqual(answers[0], answers[2])

    def test_the_plan_names_the_kernels(self):
        out, _ = self.compiled("--quant", "int8")
        steps = self.json_of("inspect", out, "--schedule")
        self.assertIn("matmul.int8.", str(steps))

    def test_tells_of_smaller_groups(self):
        _, d = self.compiled("--quant", "int4")
        remarks = "\n".join(d["remarks"])
        self.assertIn("groups of 64, 64 columns are no multiple of 128", remarks)
        self.assertIn("blk.0.ffn_down and 2 more: stays f32, 144 columns are no multiple of 32", remarks)

    def test_refusals(self):
        out = scratch("a")
        for flags, what in (
            (("--quant", "int3"), "int8, int4 or int4_awq"),
            (("--quant", "int4_awq"), "--calibrate"),
            (("--quant", "int4", "--group-size", "48"), "32, 64 or 128"),
        ):
            with self.subTest(flags=flags):
                self.assertIn(what, self.refused(2, "compile", tiny(), "-o", out, *flags))
        self.assertFalse(os.path.exists(out))


if __name__ == "__main__":
    unittest.main()
