"""Runs under a Python with openvino_genai: openvino_worker.py MODEL THREADS

Loads the model, says {}, then answers each line "PROMPT DECODE" with {"tokens", "prefill", "decode"}: the prompt's tokens, and rates in tokens
per second. Every prompt begins with other words, for a prompt whose beginning is known is not computed again.
"""

import json
import random
import sys

import openvino_genai

WORDS = "apple bread chair door earth field glass house iron juice knife lamp moon night ocean paper".split()


def measured(pipeline, seed, prompt_tokens, decode_tokens):
    choose = random.Random(seed)
    prompt = f"{choose.randrange(10**6)} " + " ".join(choose.choice(WORDS) for _ in range(max(1, prompt_tokens - 7)))
    config = openvino_genai.GenerationConfig()
    config.max_new_tokens, config.ignore_eos, config.apply_chat_template = decode_tokens, True, False
    metrics = pipeline.generate([prompt], config).perf_metrics
    tokens, first_ms, each_ms = metrics.get_num_input_tokens(), metrics.get_ttft().mean, metrics.get_tpot().mean
    return {"tokens": tokens, "prefill": 1e3 * tokens / first_ms, "decode": 1e3 / each_ms if each_ms > 0 else 0}


def main():
    pipeline = openvino_genai.LLMPipeline(sys.argv[1], "CPU", INFERENCE_NUM_THREADS=int(sys.argv[2]))
    measured(pipeline, 0, 32, 4)
    print("{}", flush=True)
    for seed, line in enumerate(sys.stdin, 1):
        print(json.dumps(measured(pipeline, seed, *map(int, line.split()))), flush=True)


main()
