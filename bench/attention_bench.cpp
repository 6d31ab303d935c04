// Attention over the paged cache, with the shapes of real models: a time is that of all layers of the model, one sequence.
//   attention_bench --benchmark_filter=prefill
#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "base/thread_pool.h"
#include "device/machine.h"
#include "kernels/kernel_variant.h"
#include "ops/paged_cache.h"
#include "ops/params.h"
#include "plan/weight_set.h"

namespace hyalite {
namespace {

struct Model {
  const char* name;
  int32_t layers, heads, kv_heads, head_dim, window;
};
constexpr Model kModels[] = {{"smollm2-135m", 30, 9, 3, 64, 0}, {"gemma3-270m", 18, 4, 1, 256, 512}, {"qwen2.5-1.5b", 28, 12, 2, 128, 0}};

// One sequence with `history` positions in the cache and `tokens` new ones; every layer has pages of its own, as in a model.
class Layers {
 public:
  Layers(const Model& model, DType dtype, int32_t history, int32_t tokens, ThreadPool& pool)
      : model_(model), spec_{CacheSpec::Kind::paged, model.kv_heads, model.head_dim, model.window, dtype}, tokens_(tokens) {
    const int32_t positions = history + tokens, pages = (positions + kPageTokens - 1) / kPageTokens;
    std::mt19937 random(1);
    std::normal_distribution<float> normal;
    layer_bytes_ = pages * page_bytes_of(spec_);
    memory_ = std::make_unique<PageMemory>(static_cast<size_t>(layer_bytes_ * model.layers), pool);
    q_.resize(static_cast<size_t>(tokens) * static_cast<size_t>(model.heads * model.head_dim));
    for (float& value : q_) value = normal(random);
    y_.resize(q_.size());
    pages_.resize(static_cast<size_t>(pages));
    std::iota(pages_.begin(), pages_.end(), 0);
    positions_.resize(static_cast<size_t>(positions));
    std::iota(positions_.begin(), positions_.end(), 0);
    sequence_of_.assign(static_cast<size_t>(positions), 0);
    fill(positions, random, normal);
    positions_.erase(positions_.begin(), positions_.begin() + history);
  }

  // Of all layers, each position once.
  double bytes_read() const {
    const int32_t last = positions_.back() + 1, seen = model_.window > 0 ? std::min(last, model_.window + tokens_ - 1) : last;
    return 1.0 * model_.layers * seen * static_cast<double>(page_bytes_of(spec_)) / kPageTokens;
  }

  // All layers, one after the other.
  void run(const KernelVariant& variant, ThreadPool& pool, uint8_t* workspace) {
    const PageTable table{pages_.data(), static_cast<int32_t>(pages_.size())};
    const BatchView batch{.tokens = tokens_,
                          .sequences = 1,
                          .cache_groups = 1,
                          .positions = positions_.data(),
                          .sequence_of = sequence_of_.data(),
                          .tables = &table};
    const AttentionParams params{model_.heads, model_.kv_heads, model_.head_dim, 0.125f, model_.window};
    const TensorView inputs[3] = {matrix(q_.data()), {}, {}}, output = matrix(y_.data());
    for (int32_t layer = 0; layer < model_.layers; ++layer) {
      const CacheView cache{memory_->data() + layer * layer_bytes_, page_bytes_of(spec_), 0, spec_};
      const OpArgs args{inputs, &output, &params, &batch, &cache, workspace};
      pool.run([&](int thread) {
        for (int phase = 0; phase < variant.phases; ++phase) {
          if (phase > 0) pool.barrier();
          variant.run(args, {thread, pool.size(), phase});
        }
      });
    }
  }

 private:
  // The same keys and values for every layer.
  void fill(int32_t positions, std::mt19937& random, std::normal_distribution<float>& normal) {
    std::vector<float> k(static_cast<size_t>(positions) * static_cast<size_t>(model_.kv_heads * model_.head_dim)), v(k.size());
    for (auto* values : {&k, &v}) std::generate(values->begin(), values->end(), [&] { return normal(random); });
    const PageTable table{pages_.data(), static_cast<int32_t>(pages_.size())};
    const BatchView all{.tokens = positions,
                        .sequences = 1,
                        .cache_groups = 1,
                        .positions = positions_.data(),
                        .sequence_of = sequence_of_.data(),
                        .tables = &table};
    for (int32_t head = 0; head < model_.kv_heads; ++head) {
      append_head(all, {memory_->data(), page_bytes_of(spec_), 0, spec_}, k.data(), v.data(), head);
    }
    for (int32_t layer = 1; layer < model_.layers; ++layer) {
      std::copy_n(memory_->data(), layer_bytes_, memory_->data() + layer * layer_bytes_);
    }
  }

  TensorView matrix(float* data) const { return {data, DType::f32, 2, {tokens_, int64_t{model_.heads} * model_.head_dim}}; }

  const Model& model_;
  CacheSpec spec_;
  int32_t tokens_;
  int64_t layer_bytes_ = 0;
  std::unique_ptr<PageMemory> memory_;
  std::vector<float> q_, y_;
  std::vector<int32_t> pages_, positions_, sequence_of_;
};

void attend(benchmark::State& state, const Model& model, const std::string& variant_name, DType dtype, int32_t history, int32_t tokens) {
  const KernelVariant& variant = *find_variant(variant_name);
  if ((variant.needs & ~detect_machine().features) != 0) {
    state.SkipWithError("this CPU lacks the instructions");
    return;
  }
  ThreadPool pool(usable_cpus());
  Layers layers(model, dtype, history, tokens, pool);
  std::vector<uint8_t> workspace(size_t{64} << 20);
  for (auto _ : state) layers.run(variant, pool, workspace.data());
  double seen = 0;
  for (int32_t position = history; position < history + tokens; ++position) {
    seen += model.window > 0 ? std::min(position + 1, model.window) : position + 1;
  }
  const double flops = 4.0 * model.layers * model.heads * model.head_dim * seen;
  state.counters["cache GB/s"] = benchmark::Counter(layers.bytes_read() * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["GFLOP/s"] = benchmark::Counter(flops * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

void add(const Model& model, const char* op, const char* isa, DType dtype, int32_t history, int32_t tokens) {
  const std::string variant = std::string(op) + "." + isa;
  const std::string name =
      variant + "/" + model.name + "/" + std::string(format_of(dtype).name) + "/" + std::to_string(history) + "+" + std::to_string(tokens);
  const auto run = [=, &model](benchmark::State& state) { attend(state, model, variant, dtype, history, tokens); };
  benchmark::RegisterBenchmark(name.c_str(), run)->Unit(benchmark::kMillisecond)->UseRealTime();
}

const bool registered = [] {
  for (const Model& model : kModels) {
    for (const char* isa : {"avx512", "avx2"}) {
      for (const DType dtype : {DType::f16, DType::q8_0}) {
        add(model, "paged_attention_prefill", isa, dtype, 0, 256);
        add(model, "paged_attention_prefill", isa, dtype, 1792, 256);
        for (const int32_t history : {64, 512, 8000}) add(model, "paged_attention_decode", isa, dtype, history, 1);
      }
    }
  }
  return true;
}();

}  // namespace
}  // namespace hyalite
