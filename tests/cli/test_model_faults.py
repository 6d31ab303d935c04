"""Faults of a model that show when it is used: its template, its patterns, its vocabulary, its weights."""

import json
import os
import struct
import unittest

from cli_case import REAL_MODEL, CliCase, edit_json, needs_real_model, run, scratch

ANSWER = ("--max-new-tokens", 2)


class ModelFaults(CliCase):
    def model(self):
        path = scratch("model")
        self.done("make-tiny", path)
        return path

    def with_template(self, source):
        path = self.model()
        edit_json(os.path.join(path, "tokenizer_config.json"), lambda d: d.update(chat_template=source))
        return path

    def test_a_template_that_fails_is_the_models_fault(self):
        for source, place in (("a\n{{ foo() }}", "2:"), ("{{ range(1000000000) }}", "1:"), ("{% if %}", "1:"), ("{{ 'x' | nope }}", "1:")):
            with self.subTest(source=source):
                error = self.refused(3, "run", self.with_template(source), "--prompt", "a", *ANSWER)
                self.assertIn("tokenizer_config.json: chat template " + place, error)

    def test_a_template_that_refuses_is_not(self):
        path = self.with_template("{{ raise_exception('no system message, please') }}")
        self.assertIn("no system message, please", self.refused(2, "run", path, "--prompt", "a", *ANSWER))

    def test_a_template_of_its_own_file_is_named(self):
        path = self.model()
        with open(os.path.join(path, "chat_template.jinja"), "w", encoding="utf-8") as file:
            file.write("{{ foo() }}")
        self.assertIn("chat_template.jinja: chat template 1:", self.refused(3, "run", path, "--prompt", "a", *ANSWER))

    def test_a_packed_checkpoints_template_is_named(self):
        path = scratch("packed")
        self.done("quantize", self.with_template("{{ foo() }}"), path, "--type", "int8")
        error = self.refused(3, "run", path, "--prompt", "a", *ANSWER)
        self.assertIn("tokenizer.json: chat template 1:", error)

    def test_a_pattern_that_does_not_compile_is_named(self):
        path = self.model()
        rule = {"type": "Split", "pattern": {"Regex": "(a"}, "behavior": "Isolated", "invert": False}
        edit_json(os.path.join(path, "tokenizer.json"), lambda d: d.update(pre_tokenizer=rule))
        error = self.refused(3, "tokenize", path, "--text", "a")
        self.assertIn("tokenizer.json: pre_tokenizer 0: pattern (a", error)

    def test_a_pattern_that_searches_without_end_is_named(self):
        path = self.model()
        rule = {"type": "Split", "pattern": {"Regex": "(a+)+$"}, "behavior": "Isolated", "invert": False}
        edit_json(os.path.join(path, "tokenizer.json"), lambda d: d.update(pre_tokenizer=rule))
        error = self.refused(3, "tokenize", path, "--text", ("a" * 20 + "b ") * 3000)
        self.assertIn("tokenizer.json: tokenizer: pattern (a+)+$: cannot be matched within its limits", error)

    def test_bytes_that_the_vocabulary_lacks_are_counted(self):
        path, text = self.model(), scratch("text")

        def lose_a_byte(document):
            vocabulary = document["model"]["vocab"]
            vocabulary["some other piece"] = vocabulary.pop("\u00ff")

        edit_json(os.path.join(path, "tokenizer.json"), lose_a_byte)
        with open(text, "wb") as file:
            file.write(b"a\xff\xffb")
        for arguments in (("tokenize", path), ("run", path, "--raw", *ANSWER), ("run", path, "--chat", *ANSWER)):
            self.assertIn("2 bytes", run(*arguments, "--file", text).err)
            self.assertNotIn("bytes", run(*arguments, "--file", text, "-q").err)
        self.assertEqual(self.done("tokenize", path, "--text", "ab").err, "")

    @needs_real_model
    def test_bytes_that_a_real_vocabulary_lacks_are_counted(self):
        text = scratch("text")
        with open(text, "wb") as file:
            file.write(b"a\xffb")
        self.assertIn("1 byte ", self.done("tokenize", REAL_MODEL, "--file", text).err)

    def test_a_weight_that_is_not_finite_is_found(self):
        """users.md T19."""
        for value in (float("nan"), float("inf")):
            path = self.model()
            weights = os.path.join(path, "model.safetensors")
            with open(weights, "r+b") as file:
                length = int.from_bytes(file.read(8), "little")
                begin, _ = json.loads(file.read(length))["model.layers.1.mlp.down_proj.weight"]["data_offsets"]
                file.seek(8 + length + begin)
                file.write(struct.pack("<f", value))
            error = self.refused(1, "run", path, "--raw", "--prompt", "a b c d e f", "--prefill-chunk", 2, *ANSWER)
            self.assertIn("non_finite_logits: ", error)
            self.assertIn("blk.1", error)
            self.assertIn("matmul", error)


if __name__ == "__main__":
    unittest.main()
