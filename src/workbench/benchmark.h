// Prefill and decode of random tokens, timed apart, with every sample kept; then some steps of each observed, plan step by plan step.
#pragma once

#include <atomic>
#include <vector>

#include "engine/engine.h"
#include "workbench/step_profile.h"

namespace hyalite {

struct BenchmarkOptions {
  int64_t depth = 0;  // positions of each sequence that are in the cache before the prompt; filled once, not timed
  int64_t prompt_tokens = 256, decode_tokens = 32, batch = 1;
  int64_t repeats = 3, warmup = 1;  // a warm-up run is a whole run that is not counted
  int64_t prefill_chunk = 512;
};

struct BenchmarkSample {
  double prefill_ms = 0;  // the whole prefill of the batch
  double decode_ms = 0;   // one decode step of the batch, on average
};

struct Spread {
  double mean = 0, median = 0, min = 0, max = 0, deviation = 0;  // sample standard deviation
};
Spread spread_of(std::vector<double> values);  // REQUIRES: not empty

// Bytes that a step of the plan reads and writes with `cached` positions of each sequence in the cache.
double step_bytes(const ExecutionPlan& plan, int64_t cached);

struct BenchmarkRuns {
  std::vector<BenchmarkSample> samples;
  std::vector<ObservedRun> prefill;  // the last chunk of a prompt, where it has more than one token: a prompt of one is decoded
  std::vector<ObservedRun> decode;   // steps behind it
};

// Throws Error{invalid_argument} where the run does not fit the engine, Error{cancelled}.
BenchmarkRuns run_benchmark(Engine& engine, const BenchmarkOptions& options, const std::atomic<bool>* cancel);

}  // namespace hyalite
