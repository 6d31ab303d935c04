#!/usr/bin/env python3
"""Goldens of the encoders, written to tests/formats/encoders.txt.

  pip install gguf==0.19.0 llama-cpp-python==0.3.36   ->  encoders.py

A line is either `bytes NAME DIGEST` (64-bit FNV-1a of what gguf.quants.quantize makes of the inputs) or `error NAME PLAIN WEIGHTED`, from
ggml_quantize_chunk: sqrt(sum w (x - decoded)^2 / sum w x^2), first without importance and w = 1, then with importance w. Inputs are rows of
sums of four 16-bit parts of SplitMix64 numbers, a block of 32 at one magnitude; some blocks are zero or a ramp whose quotients fall half way.
"""

import ctypes
import os
import pathlib

import numpy as np
from gguf import GGML_QUANT_SIZES
from gguf.constants import GGMLQuantizationType as T
from gguf.quants import dequantize, quantize

TARGET = pathlib.Path(__file__).resolve().parents[2] / "tests" / "formats" / "encoders.txt"
ROWS, COLUMNS = 16, 1024
NEAREST = [T.F16, T.BF16, T.Q4_0, T.Q4_1, T.Q5_0, T.Q5_1, T.Q8_0, T.TQ1_0, T.TQ2_0, T.MXFP4]
SEARCHED = [
    T.Q4_0, T.Q4_1, T.Q5_0, T.Q5_1, T.Q8_0, T.Q2_K, T.Q3_K, T.Q4_K, T.Q5_K, T.Q6_K, T.IQ4_NL, T.IQ4_XS, T.MXFP4, T.TQ1_0, T.TQ2_0,
    T.IQ2_XXS, T.IQ2_XS, T.IQ2_S, T.IQ3_XXS, T.IQ3_S,
]  # fmt: skip
MASK = (1 << 64) - 1


def split_mix(count, seed):
    state = seed
    for _ in range(count):
        state = (state + 0x9E3779B97F4A7C15) & MASK
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        yield z ^ (z >> 31)


def inputs():
    values = np.zeros(ROWS * COLUMNS, dtype=np.float32)
    for i, z in enumerate(split_mix(values.size, 1)):
        block = i // 32
        total = sum(z >> shift & 0xFFFF for shift in (0, 16, 32, 48)) - 131070
        values[i] = total * 2.0 ** (block % 3 - 18)
        if block % 64 == 63:
            values[i] = 0
        elif block % 64 == 62:
            values[i] = (i % 32 - 16) * 0.5
    importance = np.array([0.25 + z % 1024 / 256 for z in split_mix(COLUMNS, 2)], dtype=np.float32)
    return values.reshape(ROWS, COLUMNS), importance


def digest(raw):
    state = 0xCBF29CE484222325
    for byte in raw:
        state = ((state ^ byte) * 0x100000001B3) & MASK
    return f"{state:016x}"


def relative_error(values, decoded, weights):
    off = (values.astype(np.float64) - decoded) ** 2 * weights
    return np.sqrt(off.sum() / (values.astype(np.float64) ** 2 * weights).sum())


def ggml():
    import llama_cpp

    library = ctypes.CDLL(os.path.join(os.path.dirname(llama_cpp.__file__), "lib", "libggml-base.so"))
    library.ggml_quantize_chunk.restype = ctypes.c_size_t
    pointer = ctypes.POINTER(ctypes.c_float)

    def encode(kind, values, importance):
        elements, size = GGML_QUANT_SIZES[kind]
        out = np.zeros((ROWS, COLUMNS // elements * size), dtype=np.uint8)
        weights = importance.ctypes.data_as(pointer) if importance is not None else None
        arguments = [values.ctypes.data_as(pointer), ctypes.c_void_p(out.ctypes.data), *map(ctypes.c_int64, (0, ROWS, COLUMNS)), weights]
        assert library.ggml_quantize_chunk(int(kind), *arguments) == out.nbytes
        return dequantize(out, kind)

    return encode


def main():
    values, importance = inputs()
    encode = ggml()
    with open(TARGET, "w") as file:
        for kind in NEAREST:
            file.write(f"bytes {kind.name.lower()} {digest(np.ascontiguousarray(quantize(values, kind)).view(np.uint8).tobytes())}\n")
        for kind in SEARCHED:
            alike = np.ones_like(importance) if kind.name.startswith("IQ2") else None  # which ggml refuses without
            plain = relative_error(values, encode(kind, values, alike), 1)
            weighted = relative_error(values, encode(kind, values, importance), importance)
            file.write(f"error {kind.name.lower()} {plain:.6f} {weighted:.6f}\n")


if __name__ == "__main__":
    main()
