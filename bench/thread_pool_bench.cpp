// What a step of the executor pays for threads: handing out work, and one barrier between phases.
#include <benchmark/benchmark.h>

#include "base/thread_pool.h"

namespace hyalite {
namespace {

void thread_pool_run(benchmark::State& state) {
  ThreadPool pool(static_cast<int>(state.range(0)));
  for (auto _ : state) pool.run([](int) {});
}
BENCHMARK(thread_pool_run)->DenseRange(1, usable_cpus())->UseRealTime();

void thread_pool_barrier(benchmark::State& state) {
  constexpr int barriers = 1000;
  ThreadPool pool(static_cast<int>(state.range(0)));
  for (auto _ : state)
    pool.run([&](int) {
      for (int i = 0; i < barriers; ++i) pool.barrier();
    });
  state.SetItemsProcessed(state.iterations() * barriers);
}
BENCHMARK(thread_pool_barrier)->DenseRange(1, usable_cpus())->UseRealTime();

}  // namespace
}  // namespace hyalite
