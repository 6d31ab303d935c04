#!/usr/bin/env python3
"""How fast text becomes token ids, beside the `tokenizers` package with the same vocabularies, in turns: encode.py [MODEL...]

Needs the packages tokenizers and gguf, and a build. Both encode one text at a time in one thread, after one turn that is not counted;
`tokenizers` without offsets, its faster way. Prints bytes a second of both for each kind of text and for all kinds together, and fails where
they disagree about the number of tokens.
"""

import argparse
import importlib.util
import json
import os
import pathlib
import random
import statistics
import tempfile
import time

import measuring
from measuring import Failed, model_of, output_of, say

TURN_SECONDS = 0.3
SCRIPTS = [(0x410, 0x450), (0x391, 0x3AA), (0x5D0, 0x5EA), (0x905, 0x93A), (0xE01, 0xE3A), (0xC0, 0x250)]
CHINESE = "的一是不了人我在有他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她里后小么心多天而能好都然没日于起还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三已老从动两长"


def oracle():
    """tools/oracles/tokenizers.py, which has the package's name."""
    spec = importlib.util.spec_from_file_location("tokenizer_oracle", measuring.ROOT / "tools/oracles/tokenizers.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def texts(size):
    """Texts of some `size` bytes by kind, the same in every run of one Python."""
    from pydoc_data.topics import topics

    choose = random.Random(1)

    def filled(piece):
        pieces, bytes_ = [], 0
        while bytes_ < size:
            pieces.append(piece())
            bytes_ += len(pieces[-1].encode())
        return "".join(pieces)

    def letters(low, high):
        return "".join(chr(choose.randrange(low, high)) for _ in range(choose.randint(2, 9)))

    def chinese():
        return "".join(choose.choice(CHINESE) for _ in range(choose.randint(3, 20))) + choose.choice("，。、！？「」\n")

    prose = "\n\n".join(topics[name] for name in sorted(topics))
    modules = sorted(pathlib.Path(os.__file__).parent.glob("*.py"))
    kinds = {
        "prose": filled(lambda: prose)[:size],
        "code": "".join(path.read_text(errors="replace") for path in modules)[:size],
        "Chinese": filled(chinese),
        "other scripts": filled(lambda: letters(*choose.choice(SCRIPTS)) + choose.choice([" ", " ", ", ", "\n"])),
        "digits": filled(lambda: str(choose.randrange(10 ** choose.randint(1, 12))) + choose.choice([" ", ", ", ".", "\n", ": "])),
        "whitespace": filled(lambda: choose.choice([" ", "\n", "\t", "\r\n", "\u3000"]) * choose.randint(1, 40) + choose.choice(["", "x", "}"])),
    }
    return kinds | {"all": "".join(kinds.values())}


class Tokenizers:
    def __init__(self, path):
        self.tokenizer = oracle().tokenizer_of_gguf(path)

    def turn(self, text):
        """(bytes a second, tokens)"""
        tokens, took, turns = len(self._encode(text)), 0.0, 0
        while took < TURN_SECONDS:
            began = time.perf_counter()
            self._encode(text)
            took, turns = took + time.perf_counter() - began, turns + 1
        return turns * len(text.encode()) / took, tokens

    def _encode(self, text):
        return self.tokenizer.encode_batch_fast([text], add_special_tokens=False)[0].ids


def our_turn(o, path, file):
    """(bytes a second, tokens)"""
    command = ["env", f"HYALITE_MODEL={path}", f"HYALITE_TEXT={file}", o.program, "--benchmark_format=json", f"--benchmark_min_time={TURN_SECONDS}"]
    one = json.loads(output_of(command)[0])["benchmarks"][0]
    if one.get("error_occurred"):
        raise Failed(one["error_message"])
    return one["bytes_per_second"], int(one["tokens"])


def measure(o, name, path, folder):
    """Rows of the table."""
    theirs = Tokenizers(path)
    for kind, text in texts(o.bytes).items():
        file = folder / "text"
        file.write_bytes(text.encode())
        rounds = []
        for _ in range(o.rounds):
            (mine, tokens), (other, expected) = our_turn(o, path, file), theirs.turn(text)
            if tokens != expected:
                raise Failed(f"{name}, {kind}: {tokens} tokens, {expected} by tokenizers")
            rounds.append((mine / 1e6, other / 1e6, mine / other))
        mine, other, ratio = map(statistics.median, zip(*rounds))
        yield [name, kind, tokens, f"{mine:.1f}", f"{other:.1f}", f"{ratio:.2f}", f"{min(r for _, _, r in rounds):.2f}"]


def options():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("model", nargs="*", default=measuring.MODELS, help="names for scripts/get-model.sh, or files (default: all three)")
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--bytes", type=int, default=300_000, help="of each kind of text")
    p.add_argument("--program", default=str(measuring.ROOT / "build/release/bench/tokenizer_bench"))
    return p.parse_args()


def main():
    o = options()
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    rows = []
    with tempfile.TemporaryDirectory(prefix="hyalite-encode-") as scratch:
        for name, path in map(model_of, o.model):
            say(f"{name}:")
            rows += measure(o, name, path, pathlib.Path(scratch))
    header = ["model", "text", "tokens", "hyalite MB/s", "tokenizers MB/s", "ratio", "least"]
    print("\n".join(measuring.table(header, rows)))


if __name__ == "__main__":
    measuring.main(main)
