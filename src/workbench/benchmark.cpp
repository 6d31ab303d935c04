#include "workbench/benchmark.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "base/clock.h"
#include "base/error.h"

namespace hyalite {
namespace {

// The sequences of one run; gives its pages back at the end.
class Batch {
 public:
  Batch(Engine& engine, const BenchmarkOptions& options) : engine_(engine), options_(options), pages_(options.batch) {
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
  void fill(const std::atomic<bool>* cancel) {
    for (int64_t s = 0; s < options_.batch; ++s) take(s, 0, options_.depth, cancel);
  }

  double prefill(const std::atomic<bool>* cancel) {
    const Stopwatch watch;
    for (int64_t s = 0; s < options_.batch; ++s) take(s, options_.depth, options_.depth + options_.prompt_tokens, cancel);
    return watch.ms();
  }

  double decode(const std::atomic<bool>* cancel) {
    if (options_.decode_tokens == 0) return 0;
    std::vector<StepSequence> step(options_.batch);
    next_.assign(options_.batch, prompts_[0].back());
    const Stopwatch watch;
    for (int64_t i = 0; i < options_.decode_tokens; ++i) {
      if (cancel && cancel->load()) throw Error(ErrorCode::cancelled, "benchmark", "interrupted");
      for (int64_t s = 0; s < options_.batch; ++s) step[s] = {&pages_[s], options_.depth + options_.prompt_tokens + i, {&next_[s], 1}};
      TensorView logits = engine_.steps().run(step);
      for (int64_t s = 0; s < options_.batch; ++s) {
        const float* row = logits.as<float>() + s * logits.columns();
        next_[s] = static_cast<int32_t>(std::max_element(row, row + engine_.valid_ids()) - row);
      }
    }
    return watch.ms() / static_cast<double>(options_.decode_tokens);
  }

 private:
  // Tokens [begin, end) of sequence s, in chunks; logits for the last one of the prompt.
  void take(int64_t s, int64_t begin, int64_t end, const std::atomic<bool>* cancel) {
    const int64_t chunk = std::min(options_.prefill_chunk, engine_.steps().limits().tokens);
    for (int64_t at = begin; at < end; at += chunk) {
      if (cancel && cancel->load()) throw Error(ErrorCode::cancelled, "benchmark", "interrupted");
      const int64_t count = std::min(chunk, end - at);
      const bool last = at + count == options_.depth + options_.prompt_tokens;
      StepSequence part{&pages_[s], at, std::span<const int32_t>(prompts_[s]).subspan(at, count),
                        last ? StepSequence::Logits::last : StepSequence::Logits::none};
      engine_.steps().run({&part, 1});
    }
  }

  Engine& engine_;
  const BenchmarkOptions& options_;
  std::vector<SequencePages> pages_;
  std::vector<std::vector<int32_t>> prompts_;
  std::vector<int32_t> next_;
};

}  // namespace

Spread spread_of(std::vector<double> values) {
  HYALITE_CHECK(!values.empty(), "no samples");
  std::ranges::sort(values);
  const size_t n = values.size();
  Spread spread{.mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(n),
                .median = (values[(n - 1) / 2] + values[n / 2]) / 2,
                .min = values.front(),
                .max = values.back()};
  double squares = 0;
  for (double value : values) squares += (value - spread.mean) * (value - spread.mean);
  if (n > 1) spread.deviation = std::sqrt(squares / static_cast<double>(n - 1));
  return spread;
}

double step_bytes(const ExecutionPlan& plan, int64_t cached) {
  double bytes = 0;
  for (const PlanStep& step : plan.steps) {
    std::vector<ValueType> operands, results;
    for (const PlanOperand& operand : step.inputs) operands.push_back(operand.type);
    for (const PlanOperand& operand : step.outputs) results.push_back(operand.type);
    bytes += cost_of(*step.op, {.operands = operands,
                                .results = results,
                                .attrs = &step.attrs,
                                .symbols = plan.max_symbols,
                                .cache = step.layer < 0 ? nullptr : &plan.caches[step.layer],
                                .cached = cached})
                 .bytes;
  }
  return bytes;
}

std::vector<BenchmarkSample> run_benchmark(Engine& engine, const BenchmarkOptions& options, const std::atomic<bool>* cancel) {
  std::vector<BenchmarkSample> samples;
  Batch batch(engine, options);
  batch.fill(cancel);
  for (int64_t i = 0; i < options.warmup + options.repeats; ++i) {
    BenchmarkSample sample;
    sample.prefill_ms = batch.prefill(cancel);
    sample.decode_ms = batch.decode(cancel);
    if (i >= options.warmup) samples.push_back(sample);
  }
  return samples;
}

}  // namespace hyalite
