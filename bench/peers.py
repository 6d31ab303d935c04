#!/usr/bin/env python3
"""Hyalite against llama.cpp on the same files, with the same threads, in turns: peers.py [MODEL...]

Every round runs both, one after the other, and turns the order round; a figure only counts against the other one of its round. Both prefill
--prompt tokens and decode --decode tokens behind that prompt. A winner is called where at least three rounds all say the same, by more than
2% each, and nobody else used more than 5% of the machine meanwhile. llama-bench is looked for in the folder $LLAMA_BIN, then on $PATH.
"""

import argparse
import json
import os
import statistics

import measuring
from measuring import Failed, Others, llama_tool, model_of, output_of, say, spread

PHASES = ("prefill", "decode")
ENGINES = ("hyalite", "llama.cpp")
FEWEST_ROUNDS, MARGIN, OTHERS_ALLOWED = 3, 0.02, 0.05


def hyalite_command(o, model):
    what = ["--prompt-tokens", o.prompt, "--decode-tokens", o.decode, "--repeats", o.repeats, "--warmup", 1]
    return [[o.hyalite, "benchmark", model, *what, "--threads", o.threads, "--json"]]


def llama_commands(o, model):
    common = [o.llama_bench, "-m", model, "-t", o.threads, "-r", o.repeats, "-o", "json"]
    return [[*common, "-p", o.prompt, "-n", 0], [*common, "-p", 0, "-n", o.decode, "-d", o.prompt]]


def hyalite_rates(o, model):
    out, _ = output_of(*hyalite_command(o, model))
    samples = json.loads(out)["samples"]
    return {
        "prefill": [o.prompt / s["prefill_ms"] * 1e3 for s in samples],
        "decode": [1e3 / s["decode_ms"] for s in samples],
    }


def llama_rates(o, model):
    rates = {}
    for phase, command in zip(PHASES, llama_commands(o, model)):
        out, _ = output_of(command)
        rates[phase] = json.loads(out)[-1]["samples_ts"]
    return rates


def take_rounds(o, model):
    """One entry a round: {"hyalite": {"prefill": [rates], "decode": [rates]}, "llama.cpp": ..., "others": share of CPU}."""
    measure = {"hyalite": hyalite_rates, "llama.cpp": llama_rates}
    rounds = []
    for turn in range(o.rounds):
        one = {}
        with Others() as others:
            for engine in ENGINES[:: 1 if turn % 2 == 0 else -1]:
                one[engine] = measure[engine](o, model)
                said = ", ".join(f"{phase} {statistics.median(one[engine][phase]):.1f}" for phase in PHASES)
                say(f"round {turn + 1} of {o.rounds}: {engine} {said} tokens/s")
        rounds.append({**one, "others": others.share})
    return rounds


def verdict(ratios, others):
    """What may be said of our rate over theirs, by round, where `others` is the share of CPU that others used in each round."""
    if len(ratios) < FEWEST_ROUNDS:
        return f"no verdict: {len(ratios)} of at least {FEWEST_ROUNDS} rounds"
    if max(others) > OTHERS_ALLOWED:
        return f"no verdict: others used {max(others):.0%} of the machine"
    if min(ratios) > 1 + MARGIN:
        return "hyalite"
    if max(ratios) < 1 - MARGIN:
        return "llama.cpp"
    return "no winner: inside the noise"


def judge(rounds, phase):
    rates = {engine: [statistics.median(one[engine][phase]) for one in rounds] for engine in ENGINES}
    ratios = [mine / theirs for mine, theirs in zip(*(rates[engine] for engine in ENGINES))]
    others = [one["others"] for one in rounds]
    return {**{engine: spread(rates[engine]) for engine in ENGINES}, "ratio": spread(ratios), "verdict": verdict(ratios, others)}


def row(name, phase, judged):
    def cell(values, digits):
        return f"{values['median']:.{digits}f} ({values['min']:.{digits}f}-{values['max']:.{digits}f})"

    return [name, phase, *(cell(judged[engine], 1) for engine in ENGINES), cell(judged["ratio"], 2), judged["verdict"]]


def options():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("model", nargs="*", default=measuring.MODELS, help="names for scripts/get-model.sh, or files (default: all three)")
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--repeats", type=int, default=3, help="runs of a round; its figure is their median")
    p.add_argument("--prompt", type=int, default=256)
    p.add_argument("--decode", type=int, default=32)
    p.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    p.add_argument("--hyalite", default=str(measuring.ROOT / "build/release/hyalite"))
    p.add_argument("--results", help="folder for the JSON file (default: bench/results)")
    o = p.parse_args()
    o.llama_bench = llama_tool("llama-bench")
    if not o.llama_bench:
        raise Failed("llama-bench is neither in $LLAMA_BIN nor on $PATH")
    if min(o.rounds, o.repeats, o.prompt, o.decode, o.threads) < 1:
        raise Failed("all counts must be at least 1")
    return o


def main():
    o = options()
    models, rows = [], []
    for name, path in map(model_of, o.model):
        say(f"{name}: {o.rounds} rounds of {o.repeats}")
        rounds = take_rounds(o, path)
        judged = {phase: judge(rounds, phase) for phase in PHASES}
        # File names only: where they lie is this machine's business.
        commands = [" ".join(os.path.basename(str(word)) for word in c) for c in hyalite_command(o, path) + llama_commands(o, path)]
        models.append({"model": name, "bytes": os.path.getsize(path), "commands": commands, **judged, "rounds": rounds})
        rows += [row(name, phase, judged[phase]) for phase in PHASES]
    header = ["model", "phase", "hyalite tokens/s", "llama.cpp tokens/s", "ratio", "ahead"]
    print("\n".join(measuring.table(header, rows)))
    settings = {key: getattr(o, key) for key in ("rounds", "repeats", "prompt", "decode", "threads")}
    settings |= {"margin": MARGIN, "others_allowed": OTHERS_ALLOWED}
    say("wrote", measuring.write_result("cpu-peers", {"settings": settings, "models": models}, o.results))


if __name__ == "__main__":
    measuring.main(main)
