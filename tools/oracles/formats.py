#!/usr/bin/env python3
"""Goldens of the block and element formats, written to tests/formats/.

  pip install gguf numpy       ->  formats.py gguf   (gguf.quants.dequantize of the package)
  pip install torch            ->  formats.py torch  (the two 8-bit floats)
  pip install numpy ml_dtypes  ->  formats.py npz    (small.npz, by numpy.savez)

A line is either `stream NAME BLOCKS DIGEST` (blocks of SplitMix64 bytes, seed = BLOCKS) or `block NAME HEX DIGEST V0 V1 V2 V3` (one block and
its first values). DIGEST is the 64-bit FNV-1a of the decoded fp32 bits with every NaN as 7fc00000; V are such bits in hex.
"""

import os
import sys

TARGET = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "tests", "formats")
EXTREME_HALVES = [0x0001, 0x83FF, 0x7BFF, 0x7C00, 0x7E01, 0x8000]
# Byte offsets of the half scales in a block, for the lines with extreme scales.
HALF_SCALES = {
    "Q4_0": [0], "Q4_1": [0, 2], "Q5_0": [0], "Q5_1": [0, 2], "Q8_0": [0], "Q2_K": [80, 82], "Q3_K": [108], "Q4_K": [0, 2],
    "Q5_K": [0, 2], "Q6_K": [208], "IQ1_S": [0], "IQ2_XXS": [0], "IQ2_XS": [0], "IQ2_S": [0], "IQ3_XXS": [0], "IQ3_S": [0],
    "IQ4_NL": [0], "IQ4_XS": [0], "TQ1_0": [52], "TQ2_0": [64], "F16": [0], "BF16": [0],
}  # fmt: skip
MASK = (1 << 64) - 1


def random_bytes(count, seed):
    out, state = bytearray(), seed
    while len(out) < count:
        state = (state + 0x9E3779B97F4A7C15) & MASK
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        out += (z ^ (z >> 31)).to_bytes(8, "little")
    return bytes(out[:count])


def bits(values):
    import numpy as np

    values = np.ascontiguousarray(values, dtype=np.float32).reshape(-1)
    return np.where(np.isnan(values), np.uint32(0x7FC00000), values.view(np.uint32)).astype("<u4")


def digest(values):
    state = 0xCBF29CE484222325
    for byte in bits(values).tobytes():
        state = ((state ^ byte) * 0x100000001B3) & MASK
    return f"{state:016x}"


def block_line(name, raw, values):
    first = " ".join(f"{v:08x}" for v in bits(values)[:4])
    return f"block {name} {raw.hex()} {digest(values)} {first}"


def gguf_lines():
    import numpy as np
    from gguf import GGML_QUANT_SIZES
    from gguf.quants import _type_traits, dequantize
    from gguf.constants import GGMLQuantizationType as T

    np.seterr(all="ignore")
    for kind in [T.F32, T.F16, *sorted(_type_traits)]:
        name, (elements, size) = kind.name.lower(), GGML_QUANT_SIZES[kind]
        decode = lambda raw: dequantize(np.frombuffer(raw, dtype=np.uint8).reshape(-1, size), kind)
        blocks = 128 if elements > 1 else 4096
        yield f"stream {name} {blocks} {digest(decode(random_bytes(blocks * size, blocks)))}"
        for raw in [b"\xff" * size, b"\0" * size]:
            yield block_line(name, raw, decode(raw))
        for half in EXTREME_HALVES if kind.name in HALF_SCALES else []:
            raw = bytearray(random_bytes(size, half))
            for at in HALF_SCALES[kind.name]:
                raw[at : at + 2] = half.to_bytes(2, "little")
            yield block_line(name, bytes(raw), decode(bytes(raw)))


def torch_lines():
    import torch

    for name, kind in [("f8_e4m3", torch.float8_e4m3fn), ("f8_e5m2", torch.float8_e5m2)]:
        for code in range(256):
            value = torch.tensor([code], dtype=torch.uint8).view(kind).float().numpy()
            yield f"block {name} {code:02x} {digest(value)} {int(bits(value)[0]):08x}"


def write_npz():
    import ml_dtypes
    import numpy as np

    arrays = {"a.weight": np.arange(6, dtype=np.float32).reshape(2, 3), "b": np.array([1.5, -2], dtype=np.float16), "c": np.float64(0.25)}
    for name in ("bfloat16", "float8_e4m3fn", "float8_e5m2"):
        arrays[name] = np.array([1.5, -2]).astype(getattr(ml_dtypes, name))
    np.savez(os.path.join(TARGET, "small.npz"), **arrays)


if __name__ == "__main__":
    which = sys.argv[1]
    if which == "npz":
        sys.exit(write_npz())
    lines = {"gguf": gguf_lines, "torch": torch_lines}[which]()
    with open(os.path.join(TARGET, which + ".txt"), "w") as file:
        file.writelines(line + "\n" for line in lines)
