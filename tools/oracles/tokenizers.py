#!/usr/bin/env python3
"""Goldens for tests/tokenizers: tiny tokenizers of each kind, with texts and the ids and decoded texts that `tokenizers` gives.

    pip install tokenizers==0.23.3 gguf numpy
    tools/oracles/tokenizers.py tiny                     writes tests/tokenizers/tiny_*.json
    tools/oracles/tokenizers.py real NAME=FILE.gguf ...  writes tests/tokenizers/real.json: a digest of the ids of each text, for real vocabularies
"""

import hashlib
import json
import os
import random
import sys
from pydoc_data.topics import topics

# This file has the package's name: its folder must not be looked in first.
sys.path = [p for p in sys.path if os.path.abspath(p or ".") != os.path.dirname(os.path.abspath(__file__))]
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers  # noqa: E402

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "tokenizers")
CORPUS = [topics[k] for k in sorted(topics)][:12] + ["ÄÖÜ naïve Straße 日本語 テスト한국어 العربية हिन्दी ไทย — “q” 12345 3.14"] * 8
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
CL100K = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
QWEN2 = CL100K.replace("{1,3}", "")
FIXED = [
    "", " ", "  ", "\n", " \n ", "G", "<s>G", " G", "This is 🦙.cpp", "a1234567,,b", "Hello, world!", "don't you'LL 'S 's '", "x\r\ny\r\n\r\n  z",
    "\t\tif x:\n\t\t\treturn", "1 22 333 4444 55555", "½ x² Ⅷ", "e\u0301 é ﬁ İ ſ 'ſ", "👩‍👩‍👧‍👦🇩🇪👍🏽", "\u00a0a\u3000b\u2009c\u200bd\ufeff", "<|end|>", "a<|end|>b", " <|end|> ", "<|end|><s>",
    "a <mask> b", "a<mask>b", "my tool, tools, TOOL tool", "a\u0000b\u0001c\u007f", "▁x ▁ ▁▁", "日本語テスト한국어", "العربية हिन्दी ไทย", "\ue000\U0001f9ff\u0378", "<0x41>", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" * 4,
]  # fmt: skip


def hard_texts(count, seed):
    """Random mixtures of what tokenizers get wrong, in characters that Unicode 14 knows."""
    r = random.Random(seed)
    blocks = [(0x21, 0x7F), (0xC0, 0x250), (0x391, 0x3AA), (0x410, 0x450), (0x5D0, 0x5EA), (0x905, 0x93A), (0xE01, 0xE3A), (0x3041, 0x3097), (0x4E00, 0x4F00), (0xAC00, 0xAD00), (0x1F300, 0x1F320)]
    words = "the of class object value's don't return import_x __init__ 3.14 0xFF ... !? — “q” naïve".split()
    spaces = [" ", "  ", "\n", "\n\n", "\r\n", "\t", " \n", "    ", "\u00a0", "\u3000"]

    def part():
        kind = r.random()
        if kind < 0.35:
            return r.choice(words)
        if kind < 0.6:
            return r.choice(spaces)
        if kind < 0.75:
            return "".join(r.choice("0123456789") for _ in range(r.randint(1, 9)))
        low, high = r.choice(blocks)
        return "".join(chr(r.randrange(low, high)) for _ in range(r.randint(1, 6)))

    return ["".join(part() for _ in range(r.randint(1, 12))) for _ in range(count)]


def train(tokenizer, kind, size=420, **options):
    alphabet = pre_tokenizers.ByteLevel.alphabet() if kind == "bytes" else ["▁"]
    special = ["<unk>", "<s>", "</s>"] + options.pop("special", [])
    if kind == "unigram":
        trainer = trainers.UnigramTrainer(vocab_size=size, special_tokens=special, unk_token="<unk>", show_progress=False)
    else:
        trainer = trainers.BpeTrainer(vocab_size=size, initial_alphabet=alphabet, special_tokens=special, show_progress=False, **options)
    tokenizer.train_from_iterator(CORPUS, trainer)
    return tokenizer


def add_tokens(tokenizer):
    tokenizer.add_special_tokens([AddedToken("<|end|>", normalized=False)])
    tokenizer.add_special_tokens([AddedToken("<mask>", lstrip=True, rstrip=True, normalized=False)])
    tokenizer.add_tokens([AddedToken("tool", single_word=True, normalized=True), AddedToken("...", normalized=False)])
    return tokenizer


def byte_level(pre, decoder=None, **model):
    t = Tokenizer(models.BPE(**model))
    t.pre_tokenizer, t.decoder = pre, decoder or decoders.ByteLevel()
    return add_tokens(train(t, "bytes"))


def split_then_bytes(pattern):
    return pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(pattern), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])


def sentencepiece(normalizer, pre, strip, fallback=True, added_bytes=False):
    t = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=fallback))
    t.normalizer = normalizers.Replace(" ", "▁")
    train(t, "characters", 600, special=["<0x%02X>" % b for b in range(256)] if fallback else [])
    data = json.loads(t.to_str())
    # Byte pieces are ordinary pieces of the vocabulary, as published files have them.
    if not added_bytes:
        data["added_tokens"] = [a for a in data["added_tokens"] if not a["content"].startswith("<0x")]
    t = Tokenizer.from_str(json.dumps(data))
    t.normalizer = normalizer
    if pre:
        t.pre_tokenizer = pre
    steps = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()] + ([decoders.Strip(" ", 1, 0)] if strip else [])
    t.decoder = decoders.Sequence(steps)
    t.post_processor = processors.TemplateProcessing(single="<s> $A </s>", pair="<s> $A </s> $B", special_tokens=[("<s>", 1), ("</s>", 2)])
    return add_tokens(t)


def unigram(normalizer, pre):
    t = Tokenizer(models.Unigram())
    t.normalizer, t.pre_tokenizer, t.decoder = normalizer, pre, decoders.Metaspace(prepend_scheme=pre.prepend_scheme)
    train(t, "unigram", 300)
    return add_tokens(t)


def behaviour(name, invert=False):
    pre = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(r"[aeiou ]|\d+"), name, invert), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    return byte_level(pre)


def tiny():
    p, n = pre_tokenizers, normalizers
    yield "gpt2", byte_level(p.ByteLevel(add_prefix_space=False))
    yield "gpt2_prefix", byte_level(p.ByteLevel(add_prefix_space=True))
    yield "smollm", byte_level(p.Sequence([p.Digits(individual_digits=True), p.ByteLevel(add_prefix_space=False)]))
    yield "llama3", byte_level(split_then_bytes(CL100K), ignore_merges=True)
    yield "qwen2", byte_level(split_then_bytes(QWEN2))
    falcon = [p.Punctuation("contiguous"), p.ByteLevel(add_prefix_space=False), p.Digits(individual_digits=False), p.Split(Regex("[0-9]{3}"), "isolated")]
    yield "falcon", byte_level(p.Sequence(falcon))
    words = p.Sequence([p.WhitespaceSplit(), p.Punctuation(), p.ByteLevel(add_prefix_space=False, use_regex=False)])
    yield "words", byte_level(words)
    yield "whitespace", byte_level(p.Sequence([p.Whitespace(), p.ByteLevel(add_prefix_space=True, use_regex=False)]))
    for name in ("removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous"):
        yield "split_" + name, behaviour(name)
    yield "split_inverted", behaviour("removed", True)
    nfc = byte_level(split_then_bytes(QWEN2))
    nfc.normalizer = n.NFC()
    yield "nfc", nfc
    yield "llama2", sentencepiece(n.Sequence([n.Prepend("▁"), n.Replace(" ", "▁")]), None, True)
    yield "gemma", sentencepiece(n.Replace(" ", "▁"), p.Split(" ", "merged_with_previous"), False)
    added = sentencepiece(n.Replace(" ", "▁"), None, False, added_bytes=True)
    added.add_tokens([AddedToken("▁▁", normalized=False), AddedToken("next▁line", normalized=False)])
    yield "added_bytes", added
    whole = byte_level(p.ByteLevel(add_prefix_space=False))
    whole.decoder = None
    yield "no_decoder", whole
    yield "no_fallback", sentencepiece(n.Replace(" ", "▁"), None, False, fallback=False)
    yield "metaspace_first", sentencepiece(n.NFKD(), p.Metaspace(prepend_scheme="first", split=False), True)
    yield "unigram", unigram(n.Sequence([n.NFKC(), n.Replace(Regex(" {2,}"), " ")]), p.Metaspace(prepend_scheme="always"))
    yield "unigram_plain", unigram(n.Sequence([n.NFD(), n.StripAccents(), n.Lowercase(), n.Strip()]), p.Metaspace(prepend_scheme="never"))


def write_tiny():
    texts = FIXED + hard_texts(60, 3)
    for name, tokenizer in tiny():
        cases = []
        for text in texts:
            ids = tokenizer.encode(text, add_special_tokens=False).ids
            cases.append({"text": text, "ids": ids, "with_special": tokenizer.encode(text).ids, "decoded": tokenizer.decode(ids, skip_special_tokens=False)})
        golden = {"name": name, "tokenizer": json.loads(tokenizer.to_str()), "cases": cases}
        with open(os.path.join(FOLDER, f"tiny_{name}.json"), "w") as f:
            json.dump(golden, f, ensure_ascii=True, separators=(",", ":"))
            f.write("\n")


def tokenizer_of_gguf(path):
    """The vocabulary of a GGUF file as a tokenizer.json of `tokenizers`, written from its metadata."""
    import gguf

    fields = gguf.GGUFReader(path).fields

    def field(key):
        return fields["tokenizer.ggml." + key].contents()

    tokens, kinds = field("tokens"), field("token_type")
    data = {"version": "1.0", "normalizer": None, "post_processor": None, "decoder": None}
    data["added_tokens"] = [
        {"id": i, "content": t, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": kinds[i] == 3}
        for i, t in enumerate(tokens)
        if kinds[i] in (3, 4)
    ]
    if field("model") == "gpt2":
        by_pre = {
            "smollm": [{"type": "Digits", "individual_digits": True}, {"type": "Split", "pattern": {"Regex": GPT2}, "behavior": "Isolated", "invert": False}],
            "qwen2": [{"type": "Split", "pattern": {"Regex": QWEN2}, "behavior": "Isolated", "invert": False}],
        }
        byte = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
        data["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": by_pre[field("pre")] + [byte]}
        merges = [m.split(" ", 1) for m in field("merges")]
        data["model"] = {"type": "BPE", "vocab": {t: i for i, t in enumerate(tokens) if kinds[i] == 1}, "merges": merges}
    else:
        ids, scores, ranked = {t: i for i, t in enumerate(tokens)}, field("scores"), []
        for i, t in enumerate(tokens):
            parts = [(ids[t[:k]], ids[t[k:]]) for k in range(1, len(t)) if t[:k] in ids and t[k:] in ids]
            if kinds[i] in (1, 4):
                ranked += [(-scores[i], i, a, b) for a, b in parts if kinds[a] != 3 and kinds[b] != 3]
        data["normalizer"] = {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}
        data["pre_tokenizer"] = None
        merges = [[tokens[a], tokens[b]] for _, _, a, b in sorted(ranked)]
        data["model"] = {"type": "BPE", "unk_token": "<unk>", "fuse_unk": True, "byte_fallback": True, "vocab": ids, "merges": merges}
    return Tokenizer.from_str(json.dumps(data))


def write_real(models_by_name):
    texts = FIXED[1:] + hard_texts(300, 5) + ["<|im_start|>user\nhi<|im_end|>\n", "<start_of_turn>model\n"]
    digests = {}
    for name, path in models_by_name.items():
        tokenizer = tokenizer_of_gguf(path)
        ids = [tokenizer.encode(t, add_special_tokens=False).ids for t in texts]
        digests[name] = [hashlib.sha256(",".join(map(str, i)).encode()).hexdigest()[:16] for i in ids]
    with open(os.path.join(FOLDER, "real.json"), "w") as f:
        json.dump({"digest": "first 16 hex digits of the SHA-256 of the ids, joined with commas", "texts": texts, "models": digests}, f, separators=(",", ":"))
        f.write("\n")


if __name__ == "__main__":
    if sys.argv[1:2] == ["tiny"]:
        write_tiny()
    elif sys.argv[1:2] == ["real"] and len(sys.argv) > 2:
        write_real(dict(a.split("=", 1) for a in sys.argv[2:]))
    else:
        sys.exit(__doc__)
