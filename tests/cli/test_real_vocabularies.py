"""Real vocabularies against digests of the ids that `tokenizers` gives (tools/oracles/tokenizers.py); every third text, to stay quick."""

import hashlib
import json
import os
import unittest

from cli_case import REAL_MODEL, ROOT, CliCase, scratch

FILES = {"smollm2": REAL_MODEL, "gemma3": os.environ.get("HYALITE_TEST_GEMMA3", ""), "qwen2": os.environ.get("HYALITE_TEST_QWEN2", "")}


class RealVocabularies(CliCase):
    def check(self, name):
        with open(os.path.join(ROOT, "tests", "tokenizers", "real.json"), encoding="utf-8") as file:
            golden = json.load(file)
        digests = next((d for model, d in golden["models"].items() if model.startswith(name)), None)
        self.assertIsNotNone(digests, f"{name} has no goldens")
        if not FILES[name]:
            self.skipTest(f"the file of {name} is not at hand")
        path, before = scratch("text"), self.json_of("tokenize", FILES[name], "--text", "")["token_ids"]
        for text, digest in list(zip(golden["texts"], digests))[::3]:
            with open(path, "w", encoding="utf-8", newline="") as file:
                file.write(text)
            ids = self.json_of("tokenize", FILES[name], "--file", path)["token_ids"]
            got = hashlib.sha256(",".join(map(str, ids[len(before) :])).encode()).hexdigest()[:16]
            self.assertEqual(got, digest, repr(text))

    def test_smollm2(self):
        self.check("smollm2")

    def test_gemma3(self):
        self.check("gemma3")

    def test_qwen2(self):
        self.check("qwen2")


if __name__ == "__main__":
    unittest.main()
