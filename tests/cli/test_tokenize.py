import json
import os
import unittest

from cli_case import REAL_MODEL, CliCase, artifact, needs_real_model, scratch, tiny

TEXT = "The cat's 3 caf\u00e9s \U0001f600\n\tend "


class Tokenize(CliCase):
    def round_trip(self, model):
        ids = self.json_of("tokenize", model, "--text", TEXT, "--no-special")["token_ids"]
        text = self.json_of("detokenize", model, "--ids", ",".join(map(str, ids)))["text"]
        self.assertEqual(text, TEXT)

    def test_round_trip(self):
        self.round_trip(tiny())
        self.round_trip(artifact())

    def test_pieces_match_ids(self):
        d = self.json_of("tokenize", tiny(), "--text", "the cat")
        self.assertEqual(len(d["token_ids"]), len(d["pieces"]))
        self.assertEqual("".join(d["pieces"]), "the cat")

    def test_file_and_text_agree(self):
        path = scratch("text")
        with open(path, "w", encoding="utf-8") as file:
            file.write(TEXT)
        self.assertEqual(self.json_of("tokenize", tiny(), "--file", path), self.json_of("tokenize", tiny(), "--text", TEXT))

    def test_control_tokens_only_where_asked_for(self):
        self.assertEqual(len(self.json_of("tokenize", tiny(), "--text", "<|im_end|>")["token_ids"]), 1)
        self.assertGreater(len(self.json_of("tokenize", tiny(), "--text", "<|im_end|>", "--no-special")["token_ids"]), 1)

    def test_plain_output_is_a_line_a_token(self):
        lines = self.done("tokenize", tiny(), "--text", "the cat").out.splitlines()
        self.assertEqual("".join(json.loads(line.split("\t")[1]) for line in lines), "the cat")

    def test_detokenize_refuses_what_is_no_id(self):
        for ids in ("x", "1,-2", "999999999", "1.5"):
            self.refused(2, "detokenize", tiny(), "--ids", ids)

    def test_skip_special(self):
        ids = ",".join(map(str, self.json_of("tokenize", tiny(), "--text", "a<|im_end|>b")["token_ids"]))
        self.assertEqual(self.done("detokenize", tiny(), "--ids", ids, "--skip-special").out, "ab\n")

    def test_a_missing_file_is_named(self):
        self.assertIn("nowhere.txt", self.refused(1, "tokenize", tiny(), "--file", os.path.join("nowhere.txt")))

    @needs_real_model
    def test_real_vocabulary(self):
        self.round_trip(REAL_MODEL)


if __name__ == "__main__":
    unittest.main()
