#!/usr/bin/env python3
"""Writes tests/models/smollm2.json: what transformers in fp32 makes of SmolLM2 with its weights dequantised.

    real_logits.py model.gguf tests/models/smollm2.json        needs: transformers 5.23, torch, gguf

Of each prompt: the text, its token ids, and the most likely next tokens with their log-probabilities.
"""

import json
import os
import sys

# A file beside this one has the name of a package that transformers needs: its folder must not be looked in.
sys.path = [p for p in sys.path if os.path.abspath(p or ".") != os.path.dirname(os.path.abspath(__file__))]
import torch  # noqa: E402
from transformers import AutoModelForCausalLM, AutoTokenizer  # noqa: E402

TOP = 20
PROMPTS = (
    "The capital of France is",
    "def fibonacci(n):\n    if n < 2:\n        return",
    "In the year 1879, a small ship left the harbour of Lisbon with twelve men, a dog and a crate of lemons. Three weeks later",
)


def main(model_path, target):
    folder, name = os.path.split(os.path.abspath(model_path))
    tokenizer = AutoTokenizer.from_pretrained(folder, gguf_file=name)
    model = AutoModelForCausalLM.from_pretrained(folder, gguf_file=name, dtype=torch.float32, attn_implementation="eager").eval()
    rows = []
    for prompt in PROMPTS:
        ids = tokenizer(prompt, add_special_tokens=False)["input_ids"]
        with torch.no_grad():
            logits = model(torch.tensor([ids]), use_cache=False).logits[0, -1]
        top = torch.log_softmax(logits.double(), -1).topk(TOP)
        next_tokens = [[int(i), round(float(v), 6)] for v, i in zip(top.values, top.indices)]
        rows.append({"prompt": prompt, "ids": ids, "top": next_tokens})
    with open(target, "w", encoding="utf-8") as file:
        json.dump(rows, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
