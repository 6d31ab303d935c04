#!/usr/bin/env python3
"""How much of a model's quality each engine keeps: quality.py [MODEL...]

The base is `--numerics reference`: the file's own weights, computed in fp32. Against its log-probabilities of the second half of each window
of English text, default numerics and llama.cpp get their KL divergence and their share of equal first choices, from the same file of base
log-probabilities with the same formula. Then both measure perplexity of a longer text. llama-perplexity is looked for in the folder
$LLAMA_BIN, then on $PATH. The reference is slow: some minutes for a small model.
"""

import argparse
import hashlib
import json
import os
import pathlib
import re
import tempfile

import measuring
from measuring import Failed, llama_tool, model_of, output_of, say

LLAMA_FIELDS = {
    "top1_agreement": r"Same top p:\s+([\d.]+)",
    "kl_mean": r"Mean\s+KLD:\s+(-?[\d.]+)",
    "kl_standard_error": r"Mean\s+KLD:.*?±\s+([\d.]+)",
    "kl_median": r"Median\s+KLD:\s+(-?[\d.]+)",
    "kl_p99": r"99\.0%\s+KLD:\s+(-?[\d.]+)",
    "kl_max": r"Maximum KLD:\s+(-?[\d.]+)",
}


def english(characters):
    """Running prose: the reference manual that comes with Python, without its markup."""
    from pydoc_data.topics import topics

    prose = "\n\n".join(topics[name] for name in sorted(topics))
    prose = re.sub(r"[*`|=~^\-+]{2,}|^ *\.\. .*$", "", prose, flags=re.MULTILINE)
    prose = re.sub(r"[ \t]+", " ", prose)
    if len(prose) < characters:
        raise Failed(f"Python's manual has {len(prose)} characters, {characters} were asked for")
    return prose[:characters]


def base_of(o, path, folder, text):
    """The reference's log-probabilities: made once for each file, text and cut, where --keep names a folder."""
    key = f"{os.path.getsize(path)}-{os.path.getmtime(path)}-{o.ctx}-{o.windows}-{hashlib.sha256(text.read_bytes()).hexdigest()}"
    base = folder / f"{pathlib.Path(path).stem}-{hashlib.sha256(key.encode()).hexdigest()[:12]}.base"
    if not base.exists():
        say(f"  reference over {o.windows} windows of {o.ctx}")
        part = base.with_suffix(".part")
        cut = ["--file", text, "--ctx", o.ctx, "--windows", o.windows]
        keep = ["--write-base", part, "--base-format", "llama.cpp"]
        output_of([o.hyalite, "kl", path, "--numerics", "reference", *cut, *keep, "--threads", o.threads])
        part.rename(base)
    return base


def ours_against(o, path, base):
    out, _ = output_of([o.hyalite, "kl", base, path, "--threads", o.threads, "--json"])
    return json.loads(out)


def llama_against(o, path, base):
    command = [o.llama_perplexity, "-m", path, "-c", o.ctx, "-b", o.ctx, "-t", o.threads, "--kl-divergence", "--kl-divergence-base", base]
    return parse_llama("".join(output_of(command)))


def parse_llama(text):
    """The figures of llama-perplexity --kl-divergence, under our names."""
    figures = {}
    for name, pattern in LLAMA_FIELDS.items():
        found = re.search(pattern, text)
        if not found:
            raise Failed(f"llama-perplexity printed no {name}: {(text.strip().splitlines() or [''])[-1]}")
        figures[name] = float(found.group(1)) / (100 if name == "top1_agreement" else 1)
    return figures


def perplexities(o, path, text):
    out, _ = output_of([o.hyalite, "perplexity", path, "--file", text, "--ctx", o.ctx, "--threads", o.threads, "--json"])
    ours = json.loads(out)
    said = "".join(output_of([o.llama_perplexity, "-m", path, "-f", text, "-c", o.ctx, "-b", o.ctx, "-t", o.threads]))
    found, windows = re.search(r"Final estimate: PPL = ([\d.]+)", said), re.search(r"over (\d+) chunks", said)
    if not found or not windows or int(windows.group(1)) != ours["windows"]:
        raise Failed(f"llama-perplexity did not score the {ours['windows']} windows that hyalite scored")
    theirs = float(found.group(1))
    return {"tokens": ours["tokens"], "windows": ours["windows"], "hyalite": ours["perplexity"], "llama.cpp": theirs, "ratio": ours["perplexity"] / theirs}


def measure(o, name, path, folder):
    say(f"{name}:")
    text, longer = folder / "text", folder / "longer-text"
    text.write_text(english(o.windows * o.ctx * 8))  # never fewer than one token for 8 characters of English
    base = base_of(o, path, folder, text)
    result = {"model": name, "bytes": os.path.getsize(path), "ctx": o.ctx, "windows": o.windows}
    result |= {"hyalite": ours_against(o, path, base), "llama.cpp": llama_against(o, path, base)}
    result["kl_no_worse"] = result["hyalite"]["kl_mean"] <= result["llama.cpp"]["kl_mean"]
    if o.perplexity_characters:
        say("  perplexity")
        longer.write_text(english(o.perplexity_characters))
        result["perplexity"] = perplexities(o, path, longer)
    return result


def rows_of(result):
    for engine in ("hyalite", "llama.cpp"):
        r, p = result[engine], result.get("perplexity", {})
        yield [result["model"], engine, f"{r['top1_agreement']:.2%}", f"{r['kl_mean']:.6f} ± {r['kl_standard_error']:.6f}", f"{r['kl_p99']:.5f}", f"{r['kl_max']:.5f}"] + [
            f"{p[engine]:.4f}" if p else "-"
        ]


def options():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("model", nargs="*", default=measuring.MODELS, help="names for scripts/get-model.sh, or files (default: all three)")
    p.add_argument("--ctx", type=int, default=512)
    p.add_argument("--windows", type=int, default=4, help="windows of --ctx tokens for KL and first choices")
    p.add_argument("--perplexity-characters", type=int, default=36000, help="length of the text for perplexity; 0 leaves it out")
    p.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    p.add_argument("--keep", help="folder that keeps the reference's log-probabilities (up to 1 GB a model) for the next time")
    p.add_argument("--hyalite", default=str(measuring.ROOT / "build/release/hyalite"))
    p.add_argument("--results", help="folder for the JSON file (default: bench/results)")
    o = p.parse_args()
    o.llama_perplexity = llama_tool("llama-perplexity")
    if not o.llama_perplexity:
        raise Failed("llama-perplexity is neither in $LLAMA_BIN nor on $PATH")
    return o


def main():
    o = options()
    with tempfile.TemporaryDirectory(prefix="hyalite-quality-") as scratch:
        folder = pathlib.Path(o.keep or scratch)
        folder.mkdir(parents=True, exist_ok=True)
        results = [measure(o, name, path, folder) for name, path in map(model_of, o.model)]
    header = ["model", "engine", "same first choice", "KL to the reference", "KL p99", "KL max", "perplexity"]
    print("\n".join(measuring.table(header, [row for result in results for row in rows_of(result)])))
    say("wrote", measuring.write_result("quality", {"threads": o.threads, "models": results}, o.results))


if __name__ == "__main__":
    measuring.main(main)
