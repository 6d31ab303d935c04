#!/usr/bin/env python3
"""Writes tests/models/rope.json: cos and sin of transformers' rotary embedding (fp32) at the first position and at far ones.

    rope.py tests/models/rope.json        needs: transformers, torch

A case keeps the fields of config.json, the frequencies, and for each position the values of the first half of a head's dimensions; the second
half repeats them.
"""

import json
import os
import sys

# A file beside this one has the name of a package that transformers needs: its folder must not be looked in.
sys.path = [p for p in sys.path if os.path.abspath(p or ".") != os.path.dirname(os.path.abspath(__file__))]
import torch  # noqa: E402
from transformers import LlamaConfig  # noqa: E402
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding  # noqa: E402

POSITIONS = [0, 8191, 8192, 100000]
BASE = {
    "model_type": "llama",
    "hidden_size": 256,
    "intermediate_size": 64,
    "num_hidden_layers": 1,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 16,
    "max_position_embeddings": 131072,
    "rope_theta": 10000.0,
}
LLAMA3 = {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}
YARN = {"factor": 4.0, "original_max_position_embeddings": 32768}
CASES = {
    "none": BASE,
    "theta 1e6, heads of 80": {**BASE, "rope_theta": 1000000.0, "head_dim": 80},
    "linear, key type": {**BASE, "rope_scaling": {"type": "linear", "factor": 4.0}},
    "linear, key rope_type": {**BASE, "rope_scaling": {"rope_type": "linear", "factor": 8.0}},
    "llama3": {**BASE, "rope_theta": 500000.0, "rope_scaling": {"rope_type": "llama3", **LLAMA3}},
    "yarn, key type": {**BASE, "rope_theta": 1000000.0, "rope_scaling": {"type": "yarn", **YARN}},
    "yarn, not rounded": {**BASE, "rope_scaling": {"rope_type": "yarn", **YARN, "truncate": False, "beta_fast": 16.0}},
}


def case_of(name, config):
    embedding = LlamaRotaryEmbedding(LlamaConfig(**{key: value for key, value in config.items() if key != "model_type"}))
    cos, sin = embedding(torch.zeros(1, dtype=torch.float32), torch.tensor([POSITIONS]))
    half = cos.shape[-1] // 2
    rows = [
        {"position": at, "cos": [round(x, 6) for x in cos[0, i, :half].tolist()], "sin": [round(x, 6) for x in sin[0, i, :half].tolist()]}
        for i, at in enumerate(POSITIONS)
    ]
    return {"name": name, "config": config, "frequencies": embedding.inv_freq.tolist(), "rows": rows}


def main(out):
    with open(out, "w") as stream:
        stream.write("[\n" + ",\n".join(json.dumps(case_of(*case)) for case in CASES.items()) + "\n]\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
