#!/usr/bin/env python3
"""Writes tests/models/goldens.json: logits of transformers (fp32, eager attention) for tiny models that `make-tiny` fills by seed.

    tiny_models.py path/to/hyalite tests/models/goldens.json        needs: transformers, torch

A golden keeps the config, not the weights: a tensor's values depend on the seed and its name only. For each prompt and some of its positions
it holds the largest logits with their ids and the log of the sum of exponentials, which moves if any of the others does.
"""

import json
import os
import subprocess
import sys
import tempfile

# A file beside this one has the name of a package that transformers needs: its folder must not be looked in.
sys.path = [p for p in sys.path if os.path.abspath(p or ".") != os.path.dirname(os.path.abspath(__file__))]
import torch  # noqa: E402
from transformers import AutoModelForCausalLM  # noqa: E402

TOP = 12
VOCAB = 320
FAMILIES = ["llama", "qwen2", "qwen3", "gemma3"]
LENGTHS = [1, 9, 300]

LLAMA = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "vocab_size": VOCAB,
    "hidden_size": 48,
    "intermediate_size": 80,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 1024,
    "rms_norm_eps": 1e-5,
    "hidden_act": "silu",
    "rope_theta": 10000.0,
    "tie_word_embeddings": False,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
QWEN2 = {**LLAMA, "model_type": "qwen2", "architectures": ["Qwen2ForCausalLM"]}
QWEN3 = {**LLAMA, "model_type": "qwen3", "architectures": ["Qwen3ForCausalLM"], "head_dim": 24}
MISTRAL = {**LLAMA, "model_type": "mistral", "architectures": ["MistralForCausalLM"]}
GEMMA3 = {
    **{key: value for key, value in LLAMA.items() if key != "hidden_act"},
    "model_type": "gemma3_text",
    "architectures": ["Gemma3ForCausalLM"],
    "hidden_activation": "gelu_pytorch_tanh",
    "num_hidden_layers": 4,
    "head_dim": 16,
    "query_pre_attn_scalar": 16,
    "sliding_window": 20,
    "rope_theta": 1000000.0,
    "rope_local_base_freq": 10000.0,
    "tie_word_embeddings": True,
}
SLIDING, FULL = "sliding_attention", "full_attention"
LLAMA3_ROPE = {"factor": 32.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 64}
YARN = {"factor": 4.0, "original_max_position_embeddings": 64}

VARIANTS = {
    "head size 80": {**LLAMA, "hidden_size": 160, "num_attention_heads": 2, "num_key_value_heads": 1},
    "head size 96": {**LLAMA, "head_dim": 96},
    "head size 112": {**LLAMA, "head_dim": 112, "num_key_value_heads": 1},
    "one KV head": {**LLAMA, "num_key_value_heads": 1},
    "as many KV heads as heads": {**LLAMA, "num_key_value_heads": 4},
    "odd widths": {**LLAMA, "hidden_size": 36, "num_attention_heads": 3, "num_key_value_heads": 3, "intermediate_size": 77, "vocab_size": 331},
    "tied llama": {**LLAMA, "tie_word_embeddings": True},
    "linear rope, key type": {**LLAMA, "rope_scaling": {"type": "linear", "factor": 4.0}},
    "linear rope, key rope_type": {**LLAMA, "rope_scaling": {"rope_type": "linear", "factor": 4.0}},
    "llama3 rope": {**LLAMA, "rope_scaling": {"rope_type": "llama3", **LLAMA3_ROPE}},
    "rope_parameters": {
        **{key: value for key, value in LLAMA.items() if key != "rope_theta"},
        "rope_parameters": {"rope_type": "llama3", "rope_theta": 500000.0, **LLAMA3_ROPE},
    },
    "yarn rope, key type": {**QWEN2, "rope_scaling": {"type": "yarn", **YARN}},
    "yarn rope, key rope_type": {**LLAMA, "rope_scaling": {"rope_type": "yarn", **YARN}},
    "yarn rope, mscale": {**LLAMA, "rope_scaling": {"rope_type": "yarn", **YARN, "mscale": 1.0, "mscale_all_dim": 0.5}},
    "yarn rope, not rounded": {**LLAMA, "rope_scaling": {"rope_type": "yarn", **YARN, "truncate": False, "attention_factor": 1.25}},
    "sliding mistral": {**MISTRAL, "sliding_window": 17},
    "full mistral": {**MISTRAL, "sliding_window": None, "head_dim": 32},
    "sliding qwen2": {**QWEN2, "use_sliding_window": True, "sliding_window": 13, "max_window_layers": 1},
    "qwen3, untied, theta 1e6": {**QWEN3, "rope_theta": 1000000.0},
    "gemma3, pattern": {**GEMMA3, "sliding_window_pattern": 2},
    "gemma3, layer types, soft cap": {**GEMMA3, "layer_types": [FULL, SLIDING, SLIDING, FULL], "final_logit_softcapping": 4.0},
    "gemma3, rope_parameters": {
        **{key: value for key, value in GEMMA3.items() if not key.startswith("rope")},
        "rope_parameters": {
            SLIDING: {"rope_type": "default", "rope_theta": 5000.0},
            FULL: {"rope_type": "linear", "factor": 8.0, "rope_theta": 500000.0},
        },
    },
    "llama, attention bias": {**LLAMA, "attention_bias": True},
    "qwen3, attention bias": {**QWEN3, "attention_bias": True},
    "gemma3, attention bias": {**GEMMA3, "attention_bias": True},
}


def prompt(length, seed):
    generator = torch.Generator().manual_seed(1000 * seed + length)
    return torch.randint(0, 312, (length,), generator=generator).tolist()


def positions(length):
    return sorted({0, length // 3, length - 1})


def row(logits):
    top = logits.topk(TOP)
    return {
        "ids": top.indices.tolist(),
        "logits": [round(value, 6) for value in top.values.tolist()],
        "logsumexp": round(torch.logsumexp(logits.double(), -1).item(), 6),
    }


def golden(name, folder, seed):
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
    prompts = []
    for length in LENGTHS:
        ids = prompt(length, seed)
        with torch.no_grad():
            logits = model(torch.tensor([ids]), use_cache=False).logits[0]
        prompts.append({"ids": ids, "rows": [{"position": at, **row(logits[at])} for at in positions(length)]})
    print(f"{name}: standard deviation of logits {logits.std().item():.2f}")
    return {"name": name, "seed": seed, "prompts": prompts}


def main(hyalite, out):
    goldens = []
    with tempfile.TemporaryDirectory() as scratch:
        for seed, family in enumerate(FAMILIES, 1):
            folder = os.path.join(scratch, family)
            subprocess.run([hyalite, "make-tiny", folder, "--family", family, "--seed", str(seed)], check=True)
            goldens.append({**golden(family, folder, seed), "family": family})
        for seed, (name, config) in enumerate(VARIANTS.items(), 100):
            folder, file = os.path.join(scratch, f"variant-{seed}"), os.path.join(scratch, "config.json")
            with open(file, "w") as stream:
                json.dump(config, stream)
            subprocess.run([hyalite, "make-tiny", folder, "--config", file, "--seed", str(seed)], check=True)
            goldens.append({**golden(name, folder, seed), "config": config})
    with open(out, "w") as stream:
        stream.write("[\n" + ",\n".join(json.dumps(one) for one in goldens) + "\n]\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
