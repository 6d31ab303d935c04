#!/usr/bin/env python3
"""Holds a file of base log-probabilities (src/workbench/logit_base.h) to transformers in fp32 on the dequantised model; writes nothing.

    build/release/hyalite kl model.gguf --numerics reference --file text --write-base base --base-format llama.cpp
    reference_logits.py base model.gguf [WINDOWS]        needs: transformers 5.23, torch, gguf

Prints the largest difference of a log-probability over the scored half of the first WINDOWS windows (1), among ids within 16 of the highest,
which is as far as the file keeps them; its 16 bits add up to 1.2e-4. Exits 1 above 1e-3.
"""

import os
import struct
import sys

# A file beside this one has the name of a package that transformers needs: its folder must not be looked in.
sys.path = [p for p in sys.path if os.path.abspath(p or ".") != os.path.dirname(os.path.abspath(__file__))]
import numpy  # noqa: E402
import torch  # noqa: E402
from transformers import AutoModelForCausalLM  # noqa: E402

WITHIN, RANGE = 1e-3, 15.9


def read(path):
    """(ids [windows, context], a function from a window to its log-probabilities [scored, vocab])"""
    data = numpy.memmap(path, dtype=numpy.uint8, mode="r")
    context, vocab, windows = struct.unpack("<3i", data[8:20].tobytes())
    ids = data[20 : 20 + 4 * context * windows].view(numpy.int32).reshape(windows, context)
    codes = (vocab + 1) // 2 * 2
    rows = data[20 + 4 * context * windows :].reshape(windows, -1, 8 + 2 * codes)
    head = rows[:, :, :8].copy().view(numpy.float32)
    return ids, lambda w: rows[w, :, 8:].copy().view(numpy.uint16)[:, :vocab] * head[w, :, :1] + head[w, :, 1:]


def main(base, model_path, windows=1):
    ids, log_probs = read(base)
    folder, name = os.path.split(os.path.abspath(model_path))
    model = AutoModelForCausalLM.from_pretrained(folder, gguf_file=name, dtype=torch.float32, attn_implementation="eager").eval()
    worst = same = scored = 0
    for w in range(int(windows)):
        window = ids[w].copy()
        if model.config.bos_token_id is not None and ids[0][0] == model.config.bos_token_id:
            window[0] = model.config.bos_token_id  # the first window has what the tokenizer adds, so every window begins with it
        ours = log_probs(w)
        with torch.no_grad():
            logits = model(torch.tensor(window[None].astype(numpy.int64)), use_cache=False).logits[0]
        first = len(window) // 2
        theirs = torch.log_softmax(logits[first : first + len(ours)].float(), -1).numpy()[:, : ours.shape[1]]
        near = theirs > theirs.max(-1, keepdims=True) - RANGE
        worst = max(worst, float(numpy.abs(ours - theirs)[near].max()))
        same += int((ours.argmax(-1) == theirs.argmax(-1)).sum())
        scored += len(ours)
    print(f"{name}: largest difference {worst:.1e} over {scored} tokens, same first choice {same}/{scored}")
    return 0 if worst <= WITHIN else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
