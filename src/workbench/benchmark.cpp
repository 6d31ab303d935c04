#include "workbench/benchmark.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "base/clock.h"
#include "base/error.h"
#include "base/largest.h"
#include "base/quantile.h"

namespace hyalite {
namespace {

constexpr int kObservedPrefills = 3;
constexpr int64_t kObservedDecodes = 16;

// The sequences of one run; gives its pages back at the end.
class Batch {
 public:
  Batch(Engine& engine, const BenchmarkOptions& options) : engine_(engine), options_(options), pages_(options.batch), step_(options.batch) {
    std::mt19937 random(1);
    std::uniform_int_distribution<int32_t> any(0, static_cast<int32_t>(engine.valid_ids()) - 1);
    prompts_.resize(options.batch);
    for (auto& prompt : prompts_) {
      prompt.resize(options.depth + options.prompt_tokens);
      for (int32_t& id : prompt) id = any(random);
    }
  }
  ~Batch() {
    for (SequencePages& pages : pages_) engine_.steps().kv().release(pages);
  }
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  // Positions before the prompt.
  void fill() {
    for (int64_t s = 0; s < options_.batch; ++s) take(s, 0, options_.depth);
  }

  double prefill() {
    const Stopwatch watch;
    for (int64_t s = 0; s < options_.batch; ++s) take(s, options_.depth, options_.depth + options_.prompt_tokens);
    return watch.ms();
  }

  double decode() {
    if (options_.decode_tokens == 0) return 0;
    start_decode();
    const Stopwatch watch;
    for (int64_t i = 0; i < options_.decode_tokens; ++i) decode_step(i, nullptr);
    return watch.ms() / static_cast<double>(options_.decode_tokens);
  }

  // REQUIRES: the prompt is in the cache.
  std::vector<ObservedRun> observe_prefill() {
    const int64_t count = std::min(chunk(), options_.prompt_tokens);
    std::vector<ObservedRun> runs;
    for (int i = 0; count > 1 && i < kObservedPrefills; ++i)
      runs.push_back(observe({count, 1, 1}, end_of_prompt() - count,
                             [&](const StepObserver& observer) { take_chunk(0, end_of_prompt() - count, count, &observer); }));
    return runs;
  }
  std::vector<ObservedRun> observe_decode() {
    std::vector<ObservedRun> runs;
    start_decode();
    const int64_t b = options_.batch;
    for (int64_t i = 0; i < std::min(options_.decode_tokens, kObservedDecodes); ++i)
      runs.push_back(observe({b, b, b}, end_of_prompt() + i, [&](const StepObserver& observer) { decode_step(i, &observer); }));
    return runs;
  }

 private:
  int64_t chunk() const { return std::min(options_.prefill_chunk, engine_.steps().limits().tokens); }
  int64_t end_of_prompt() const { return options_.depth + options_.prompt_tokens; }

  // Tokens [begin, end) of sequence s, in chunks.
  void take(int64_t s, int64_t begin, int64_t end) {
    for (int64_t at = begin; at < end; at += chunk()) take_chunk(s, at, std::min(chunk(), end - at), nullptr);
  }

  // Logits for the last token of the prompt.
  void take_chunk(int64_t s, int64_t at, int64_t count, const StepObserver* observer) {
    StepSequence part{&pages_[s], at, std::span<const int32_t>(prompts_[s]).subspan(at, count),
                      at + count == end_of_prompt() ? StepSequence::Logits::last : StepSequence::Logits::none};
    engine_.steps().run({&part, 1}, observer);
  }

  void start_decode() { next_.assign(options_.batch, prompts_[0].back()); }

  void decode_step(int64_t i, const StepObserver* observer) {
    for (int64_t s = 0; s < options_.batch; ++s)
      step_[s] = {&pages_[s], end_of_prompt() + i, {&next_[s], 1}, StepSequence::Logits::last, true};
    TensorView logits = engine_.steps().run(step_, observer);
    for (int64_t s = 0; s < options_.batch; ++s) {
      const float* row = logits.as<float>() + s * logits.columns();
      next_[s] = static_cast<int32_t>(index_of_largest({row, static_cast<size_t>(engine_.valid_ids())}));
    }
  }

  ObservedRun observe(const Symbols& symbols, int64_t cached, FunctionRef<void(const StepObserver&)> run) const {
    ObservedRun observed{symbols, cached, {}};
    observed.nanoseconds.reserve(std::max(engine_.model().prefill.steps.size(), engine_.model().decode.steps.size()));
    auto note = [&](size_t /*step*/, int64_t nanoseconds) { observed.nanoseconds.push_back(nanoseconds); };
    run(note);
    return observed;
  }

  Engine& engine_;
  const BenchmarkOptions& options_;
  std::vector<SequencePages> pages_;
  std::vector<std::vector<int32_t>> prompts_;
  std::vector<StepSequence> step_;
  std::vector<int32_t> next_;
};

}  // namespace

Spread spread_of(std::vector<double> values) {
  HYALITE_CHECK(!values.empty(), "no samples");
  std::ranges::sort(values);
  const size_t n = values.size();
  Spread spread{.mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(n),
                .median = quantile(values, 0.5),
                .min = values.front(),
                .max = values.back()};
  double squares = 0;
  for (double value : values) squares += (value - spread.mean) * (value - spread.mean);
  if (n > 1) spread.deviation = std::sqrt(squares / static_cast<double>(n - 1));
  return spread;
}

double step_bytes(const ExecutionPlan& plan, int64_t cached) {
  double bytes = 0;
  for (const PlanStep& step : plan.steps) bytes += cost_of(*step.op, StepProblem(plan, step, plan.max_symbols, cached).problem()).bytes;
  return bytes;
}

BenchmarkRuns run_benchmark(Engine& engine, const BenchmarkOptions& options, const std::atomic<bool>* cancel) {
  BenchmarkRuns runs;
  const ThreadPool::CancelScope scope(engine.threads(), cancel);
  Batch batch(engine, options);
  batch.fill();
  for (int64_t i = 0; i < options.warmup + options.repeats; ++i) {
    BenchmarkSample sample;
    sample.prefill_ms = batch.prefill();
    sample.decode_ms = batch.decode();
    if (i >= options.warmup) runs.samples.push_back(sample);
  }
  runs.prefill = batch.observe_prefill();
  runs.decode = batch.observe_decode();
  return runs;
}

}  // namespace hyalite
