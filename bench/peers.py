#!/usr/bin/env python3
"""Hyalite and its peers on the same files, with the same threads, in turns: peers.py [MODEL...]

Builds nothing. Every round of a case runs each engine once and turns the order round; a figure only counts against the others of its round.
Peers are taken where they are: llama.cpp's llama-bench and llama-batched-bench in $LLAMA_BIN, one built for AVX2 in $LLAMA_AVX2_BIN,
ik_llama.cpp's llama-bench in $IK_BIN (each also on $PATH), OpenVINO GenAI in the Python that $OPENVINO_PYTHON names. A winner is called
where at least three rounds all say the same, by more than 2% each, and nobody else used more than 5% of the machine meanwhile.

Writes DATE-cpu-peers.json, .csv and .svg into bench/results after every case. Run again on the same day and commit, it goes on: a case that
has all its engines is kept.
"""

import argparse
import csv
import json
import os
import pathlib
import statistics
import time

import engines
import measuring
import plot
from measuring import Failed, Others, model_of, say, spread

KIND = "cpu-peers"
FEWEST_ROUNDS, MARGIN, OTHERS_ALLOWED = 3, 0.02, 0.05


def take_rounds(o, contestants, path, case):
    """(rounds, errors): a round is {"engines": {name: measurement}, "others": share of CPU}; an engine that fails is left out from then on."""
    rounds, errors, began = [], {}, time.monotonic()
    while len(rounds) < o.rounds and (not rounds or time.monotonic() - began < o.patience):
        one = {}
        with Others() as others:
            for engine in contestants[:: 1 if len(rounds) % 2 == 0 else -1]:
                if engine.name in errors:
                    continue
                try:
                    one[engine.name] = engine.measure(path, case)
                    say(f"  round {len(rounds) + 1}: {engine.name} {statistics.median(one[engine.name]['rates']):.1f} tokens/s")
                except Failed as error:
                    if engine.name == "hyalite":
                        raise
                    errors[engine.name] = str(error)
                    say(f"  {engine.name} left out: {error}")
        rounds.append({"engines": one, "others": others.share})
    return rounds, errors


def verdict(ratios, others, peer):
    """What may be said of our rate over the peer's, by round, where `others` is the share of CPU that others used in each round."""
    if len(ratios) < FEWEST_ROUNDS:
        return f"no verdict: {len(ratios)} of at least {FEWEST_ROUNDS} rounds"
    if max(others) > OTHERS_ALLOWED:
        return f"no verdict: others used {max(others):.0%} of the machine"
    if min(ratios) > 1 + MARGIN:
        return "hyalite"
    if max(ratios) < 1 - MARGIN:
        return peer
    return "no winner: inside the noise"


def judge(name, case, rounds, errors):
    """A case of the results: every engine's rates with their spread, and our ratio to the best peer."""
    names = [n for n in rounds[0]["engines"] if n not in errors]
    rates = {n: [statistics.median(one["engines"][n]["rates"]) for one in rounds] for n in names}
    block = {"model": name, "case": case.name, "engines": {n: {"error": why} for n, why in errors.items()}}
    for n in names:
        block["engines"][n] = {"rate": spread(rates[n]), "command": rounds[0]["engines"][n]["command"], "runs": [one["engines"][n]["rates"] for one in rounds]}
    block["others"] = [one["others"] for one in rounds]
    peers = [n for n in names if n != "hyalite"]
    if peers:
        best = max(peers, key=lambda n: statistics.median(rates[n]))
        ratios = [mine / theirs for mine, theirs in zip(rates["hyalite"], rates[best])]
        block |= {"best_peer": best, "ratio": spread(ratios), "verdict": verdict(ratios, block["others"], best)}
    return block


class Results:
    """The three files of a day; goes on from what the same commit wrote with the same settings."""

    def __init__(self, o):
        self.folder, self.settings, self.blocks = pathlib.Path(o.results or measuring.ROOT / "bench/results"), o.settings, []
        path = measuring.result_path(KIND, self.folder)
        if path.exists() and not o.again:
            before = json.loads(path.read_text())
            if before["commit"] == measuring.commit() and before["settings"] == o.settings:
                self.blocks = before["cases"]

    def has(self, model, case, names):
        return any(b["model"] == model and b["case"] == case.name and set(names) <= set(b["engines"]) for b in self.blocks)

    def add(self, block):
        self.blocks = [b for b in self.blocks if (b["model"], b["case"]) != (block["model"], block["case"])] + [block]
        path = measuring.write_result(KIND, {"settings": self.settings, "cases": self.blocks}, self.folder)
        path.with_suffix(".svg").write_text(plot.svg(f"tokens/s, {self.settings['threads']} threads, {measuring.machine()['cpu']}", self.blocks))
        with path.with_suffix(".csv").open("w", newline="") as file:
            csv.writer(file).writerows([("model", "case", "engine", "tokens_per_s", "least", "most", "rounds", "hyalite_over_best_peer"), *self._rows()])
        return path

    def _rows(self):
        for b in self.blocks:
            for name, one in b["engines"].items():
                if "rate" in one:
                    rate, ratio = one["rate"], f"{b['ratio']['median']:.3f}" if name == "hyalite" and "ratio" in b else ""
                    yield b["model"], b["case"], name, *(f"{rate[key]:.2f}" for key in ("median", "min", "max")), len(rate["samples"]), ratio


def row(block):
    def cell(values, digits):
        return f"{values['median']:.{digits}f} ({values['min']:.{digits}f}-{values['max']:.{digits}f})"

    mine, best = block["engines"]["hyalite"]["rate"], block.get("best_peer")
    theirs = [cell(block["engines"][best]["rate"], 1), best, cell(block["ratio"], 2), block["verdict"]] if best else ["-"] * 4
    return [block["model"], block["case"], cell(mine, 1), *theirs]


def options():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("model", nargs="*", default=measuring.MODELS, help="names for scripts/get-model.sh, or files (default: all three)")
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--patience", type=float, default=60, help="seconds after which a case gets no further round")
    p.add_argument("--minutes", type=float, default=0, help="time after which no further case begins; 0: all of them")
    p.add_argument("--case", action="append", choices=[case.name for case in engines.CASES], help="only this case; may be given again")
    p.add_argument("--engine", action="append", help="only this peer; may be given again")
    p.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    p.add_argument("--hyalite", default=str(measuring.ROOT / "build/release/hyalite"))
    p.add_argument("--results", help="folder for the files (default: bench/results)")
    p.add_argument("--again", action="store_true", help="measure everything anew")
    o = p.parse_args()
    if min(o.rounds, o.threads) < 1:
        raise Failed("all counts must be at least 1")
    o.settings = {"rounds": o.rounds, "patience": o.patience, "threads": o.threads, "margin": MARGIN, "others_allowed": OTHERS_ALLOWED}
    return o


def contestants_of(o, case, all_engines):
    """Engines that can run the case; says once who cannot, and why."""
    able = []
    for engine in all_engines:
        why = engine.why_not(case)
        if engine.name != "hyalite" and o.engine and engine.name not in o.engine:
            continue
        if why:
            say(f"  without {engine.name}: {why}")
        else:
            able.append(engine)
    return able


def run(o, all_engines):
    results, models, began = Results(o), [model_of(one) for one in o.model], time.monotonic()
    for case in engines.CASES:
        for name, path in models:
            if o.case and case.name not in o.case:
                continue
            if o.minutes and time.monotonic() - began > 60 * o.minutes:
                say(f"{name} {case.name}: no time left; run again to go on")
                continue
            say(f"{name} {case.name}:")
            contestants = contestants_of(o, case, all_engines)
            if results.has(name, case, [engine.name for engine in contestants]):
                say("  measured before")
                continue
            say("  wrote", results.add(judge(name, case, *take_rounds(o, contestants, path, case))))
    return results.blocks


def main():
    o = options()
    all_engines = engines.all_engines(o.hyalite, o.threads)
    try:
        blocks = run(o, all_engines)
    finally:
        for engine in all_engines:
            engine.close()
    header = ["model", "case", "hyalite tokens/s", "best peer", "", "ratio", "ahead"]
    print("\n".join(measuring.table(header, list(map(row, blocks)))))


if __name__ == "__main__":
    measuring.main(main)
