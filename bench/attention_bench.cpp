// Attention over the paged cache, with the shapes of real models: a time is that of all layers of the model, one sequence.
//   attention_bench --benchmark_filter=prefill
#include <benchmark/benchmark.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "base/thread_pool.h"
#include "device/machine.h"
#include "kernels/kernel_variant.h"
#include "ops/params.h"
#include "tensor/encode.h"

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
  Layers(const Model& model, int32_t history, int32_t tokens) : model_(model), tokens_(tokens) {
    const int64_t positions = history + tokens, pages = (positions + kPageTokens - 1) / kPageTokens;
    page_bytes_ = int64_t{model.kv_heads} * 2 * kPageTokens * model.head_dim * 2;
    std::mt19937 random(1);
    std::normal_distribution<float> normal;
    std::vector<float> values(static_cast<size_t>(pages * page_bytes_ / 2));
    for (float& value : values) value = normal(random);
    std::vector<uint8_t> layer(static_cast<size_t>(pages * page_bytes_));
    encode(DType::f16, values.data(), static_cast<int64_t>(values.size()), layer.data());
    caches_.assign(static_cast<size_t>(model.layers), layer);
    q_.resize(static_cast<size_t>(tokens) * static_cast<size_t>(model.heads * model.head_dim));
    for (float& value : q_) value = normal(random);
    y_.resize(q_.size());
    pages_.resize(static_cast<size_t>(pages));
    std::iota(pages_.begin(), pages_.end(), 0);
    positions_.resize(static_cast<size_t>(tokens));
    std::iota(positions_.begin(), positions_.end(), history);
    sequence_of_.assign(static_cast<size_t>(tokens), 0);
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
    const CacheSpec spec{CacheSpec::Kind::paged, model_.kv_heads, model_.head_dim, model_.window, DType::f16};
    for (std::vector<uint8_t>& layer : caches_) {
      const CacheView cache{layer.data(), page_bytes_, 0, spec};
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
  TensorView matrix(float* data) const { return {data, DType::f32, 2, {tokens_, int64_t{model_.heads} * model_.head_dim}}; }

  const Model& model_;
  int32_t tokens_;
  int64_t page_bytes_;
  std::vector<std::vector<uint8_t>> caches_;
  std::vector<float> q_, y_;
  std::vector<int32_t> pages_, positions_, sequence_of_;
};

void attend(benchmark::State& state, const Model& model, const std::string& variant_name, int32_t history, int32_t tokens) {
  const KernelVariant& variant = *find_variant(variant_name);
  if ((variant.needs & ~detect_machine().features) != 0) {
    state.SkipWithError("this CPU lacks the instructions");
    return;
  }
  Layers layers(model, history, tokens);
  ThreadPool pool(usable_cpus());
  std::vector<uint8_t> workspace(size_t{64} << 20);
  for (auto _ : state) layers.run(variant, pool, workspace.data());
  double seen = 0;
  for (int32_t position = history; position < history + tokens; ++position) {
    seen += model.window > 0 ? std::min(position + 1, model.window) : position + 1;
  }
  const double flops = 4.0 * model.layers * model.heads * model.head_dim * seen;
  state.counters["GFLOP/s"] = benchmark::Counter(flops * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

void add(const Model& model, const char* op, const char* isa, int32_t history, int32_t tokens) {
  const std::string variant = std::string(op) + "." + isa;
  const std::string name = variant + "/" + model.name + "/" + std::to_string(history) + "+" + std::to_string(tokens);
  const auto run = [&model, variant, history, tokens](benchmark::State& state) { attend(state, model, variant, history, tokens); };
  benchmark::RegisterBenchmark(name.c_str(), run)->Unit(benchmark::kMillisecond)->UseRealTime();
}

const bool registered = [] {
  for (const Model& model : kModels) {
    for (const char* isa : {"avx512", "avx2"}) {
      add(model, "paged_attention_prefill", isa, 0, 256);
      add(model, "paged_attention_prefill", isa, 1792, 256);
      for (const int32_t history : {64, 512, 4096}) add(model, "paged_attention_decode", isa, history, 1);
    }
  }
  return true;
}();

}  // namespace
}  // namespace hyalite
