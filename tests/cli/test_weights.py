"""What the weights of a checkpoint may hold, and what is said of it."""

import struct
import unittest

from cli_case import CliCase, drop_tensor, edit_json, edit_weights, resize_tensor, scratch
from test_measure import prose

DOWN = "model.layers.0.mlp.down_proj.weight"


class Weights(CliCase):
    def model(self, change, config=None):
        folder = scratch("model")
        self.done("make-tiny", folder)
        edit_weights(folder, change)
        if config:
            edit_json(f"{folder}/config.json", lambda document: document.update(config))
        return folder

    def test_a_weight_that_is_not_finite_ends_with_its_own_error(self):
        for value in (float("nan"), float("inf"), float("-inf")):

            def change(header, data, value=value):
                struct.pack_into("<f", data, header[DOWN]["data_offsets"][0], value)

            folder = self.model(change)
            with self.subTest(value=value):
                error = self.refused(1, "run", folder, "--raw", "--prompt", "the cat")
                self.assertIn("NaN or Inf", error)
                self.assertIn("not finite", self.refused(1, "perplexity", folder, "--file", prose(), "--ctx", 64))
                self.assertIn("finite", self.refused(1, "compile", folder, "-o", scratch("artifact"), "--validate"))

    def test_eight_bit_floats_need_scales_or_a_name(self):
        def change(header, data):
            header[DOWN]["dtype"] = "F8_E4M3"
            start, end = header[DOWN]["data_offsets"]
            resize_tensor(header, data, DOWN, b"\x18" * ((end - start) // 4))  # 2^-4

        self.assertIn(DOWN, self.refused(3, "run", self.model(change), "--raw", "--prompt", "a"))
        quantised = {"quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128]}}
        self.assertIn(DOWN, self.refused(3, "run", self.model(change, quantised), "--raw", "--prompt", "a"))
        folder = self.model(change, {"torch_dtype": "float8_e4m3fn"})
        remark = "remark: 1 weights f8_e4m3 -> bf16"
        for command in (
            ["run", folder, "--raw", "--prompt", "a", "--max-new-tokens", 1],
            ["chat", folder, "--max-new-tokens", 1],
            ["benchmark", folder, "--prompt-tokens", 4, "--decode-tokens", 1, "--repeats", 1],
            ["perplexity", folder, "--file", prose(), "--ctx", 64],
            ["compile", folder, "-o", scratch("artifact")],
        ):
            with self.subTest(verb=command[0]):
                self.assertEqual(self.done(*command).err.count(remark), 1)
                self.assertNotIn(remark, self.done(*command, "-q").err)

    def test_attention_bias_is_one_of_four(self):
        folder, config = scratch("model"), scratch("config.json")
        self.done("make-tiny", folder, "--family", "qwen3")
        with open(f"{folder}/config.json", encoding="utf-8") as source, open(config, "w", encoding="utf-8") as target:
            target.write(source.read().replace('"attention_bias": false', '"attention_bias": true'))
        self.done("make-tiny", folder, "--config", config)
        self.assertEqual(len(self.json_of("run", folder, "--raw", "--prompt", "a", "--max-new-tokens", 3, "--ignore-eos")["token_ids"]), 3)
        edit_weights(folder, lambda header, data: drop_tensor(header, data, "model.layers.1.self_attn.o_proj.bias"))
        self.assertIn("layers.1.self_attn.o_proj.bias: is missing", self.refused(3, "run", folder, "--raw", "--prompt", "a"))


if __name__ == "__main__":
    unittest.main()
