import filecmp
import json
import os
import unittest

from cli_case import CliCase, scratch, tiny

FILES = ["config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"]


class MakeTiny(CliCase):
    def test_files_and_fields(self):
        path = scratch("m")
        d = self.json_of("make-tiny", path, "--family", "gemma3", "--seed", 3)
        self.assertEqual((d["model_type"], d["seed"]), ("gemma3_text", 3))
        self.assertEqual(sorted(os.listdir(path)), FILES)
        self.assertEqual(os.path.getsize(os.path.join(path, "model.safetensors")) // 4 - d["parameters"] < 4000, True)

    def test_the_same_seed_gives_the_same_files(self):
        paths = [scratch("m") for _ in range(3)]
        for path, seed in zip(paths, (5, 5, 6)):
            self.done("make-tiny", path, "--seed", seed)
        self.assertEqual(filecmp.cmpfiles(*paths[:2], FILES, shallow=False)[0], FILES)
        self.assertIn("model.safetensors", filecmp.cmpfiles(*paths[1:], FILES, shallow=False)[1])

    def test_refuses_seeds_that_are_none(self):
        for seed in (-1, 1 << 64, 1.5, "x"):
            with self.subTest(seed=seed):
                self.assertIn("--seed", self.refused(2, "make-tiny", scratch("m"), "--seed", seed))
        self.assertEqual(self.json_of("make-tiny", scratch("m"), "--seed", (1 << 64) - 1)["seed"], (1 << 64) - 1)

    def test_fills_a_config(self):
        with open(os.path.join(tiny(), "config.json"), encoding="utf-8") as file:
            config = json.load(file)
        config["num_hidden_layers"] = 1
        path, out = scratch("config.json"), scratch("m")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(config, file)
        d = self.json_of("make-tiny", out, "--config", path)
        self.assertLess(d["tensors"], 20)
        self.done("run", out, "--raw", "--prompt", "a", "--max-new-tokens", 2)
        self.refused(2, "make-tiny", out, "--config", path, "--family", "llama")

    def test_replaces_only_its_own(self):
        path = scratch("m")
        for _ in range(2):
            self.done("make-tiny", path)
        notes = os.path.join(path, "notes.txt")
        with open(notes, "w", encoding="utf-8") as file:
            file.write("mine")
        self.refused(2, "make-tiny", path)
        os.remove(notes)
        os.remove(os.path.join(path, "config.json"))
        self.refused(2, "make-tiny", path)


if __name__ == "__main__":
    unittest.main()
