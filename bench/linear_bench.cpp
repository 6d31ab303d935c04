// Matmul per weight format and number of tokens: operations and bytes a second, next to the int8 peak of the same threads.
//   linear_bench --benchmark_filter='q4_1.*/tokens:256'
// Weights of 64 MB and more come from memory, as in decoding; the small ones stay in the caches, as in prefill.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>

#include "base/thread_pool.h"
#include "device/machine.h"
#include "device/peak_loops.h"
#include "kernels/cpu/linear/linear_testing.h"

namespace hyalite {
namespace {

struct Case {
  const KernelVariant* variant;
  DType dtype;
  int64_t rows, columns;
};

void run_steps(benchmark::State& state, const TestOp& test, const KernelVariant& variant, ThreadPool& pool) {
  std::vector<float> y(test.tokens * test.output_columns[0]);
  const TensorView output{y.data(), DType::f32, 2, {test.tokens, test.output_columns[0]}};
  AlignedBytes workspace(variant.workspace ? variant.workspace(test.problem()) : 0);
  alignas(16) uint8_t params[kMaxParamBytes] = {};
  find_op("matmul")->bind(test.attrs, params);
  const OpArgs args{test.packed.data(), &output, params, nullptr, nullptr, workspace.data};
  for (auto _ : state) {
    pool.run([&](int thread) {
      for (int phase = 0; phase < variant.phases; ++phase) {
        if (phase) pool.barrier();
        variant.run(args, {thread, pool.size(), phase});
      }
    });
  }
}

void matmul(benchmark::State& state, Case shape) {
  const int64_t tokens = state.range(0);
  ThreadPool pool(static_cast<int>(state.range(1)));
  const TestWeight weight(shape.dtype, shape.rows, shape.columns, 1);
  TestOp test{.op = "matmul", .attrs = {{"activations", "q8"}}, .output_columns = {shape.rows}, .tokens = tokens};
  test.add_matrix(random_floats(tokens * shape.columns, 2), shape.columns);
  test.add_weight(weight);
  run_steps(state, test, *shape.variant, pool);
  const double multiplied = static_cast<double>(shape.rows) * static_cast<double>(shape.columns);
  const double bytes = static_cast<double>(packed_layout_of(shape.dtype, "rows16")->packed_bytes(shape.rows, shape.columns));
  using benchmark::Counter;
  state.counters["ops"] = Counter(2 * multiplied * static_cast<double>(tokens), Counter::kIsIterationInvariantRate);
  state.counters["weight_bytes"] = Counter(bytes, Counter::kIsIterationInvariantRate);
}

void int8_peak(benchmark::State& state) {
  ThreadPool pool(static_cast<int>(state.range(0)));
  const PeakLoop& loop = int8_peak_loop(detect_machine().features);
  constexpr int64_t rounds = 100000;
  for (auto _ : state) pool.run([&](int thread) { benchmark::DoNotOptimize(loop.run(rounds, static_cast<uint32_t>(thread))); });
  state.counters["ops"] =
      benchmark::Counter(static_cast<double>(rounds) * loop.ops_per_round * pool.size(), benchmark::Counter::kIsIterationInvariantRate);
}

void add_matmul(const KernelVariant& variant, DType dtype, const char* size, int64_t rows, int64_t columns,
                const std::vector<int64_t>& tokens) {
  const std::string name = std::string(variant.name) + "/" + size;
  benchmark::RegisterBenchmark(name.c_str(), matmul, Case{&variant, dtype, rows, columns})
      ->ArgNames({"tokens", "threads"})
      ->ArgsProduct({tokens, {1, 2}})
      ->UseRealTime();
}

void add_all() {
  const uint32_t features = detect_machine().features;
  benchmark::RegisterBenchmark("int8_peak", int8_peak)->ArgNames({"threads"})->Arg(1)->Arg(2)->UseRealTime();
  for (const KernelVariant* variant : cpu_variants()) {
    if (variant->op != "matmul" || !lacks(*variant, features).empty()) continue;
    for (DType dtype : kLinearFormats) {
      if (variant->name.substr(7, variant->name.rfind('.') - 7) != format_of(dtype).name) continue;
      add_matmul(*variant, dtype, "cached", 1536, 1536, {1, 4, 8, 64, 256});
      if (variant->needs & kAvx512) add_matmul(*variant, dtype, "streamed", 65536, 1536, {1, 2, 4});
    }
  }
}

}  // namespace
}  // namespace hyalite

int main(int argc, char** argv) {
  hyalite::add_all();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
