#include "device/measure.h"

#include <algorithm>
#include <cstring>

#include "base/clock.h"
#include "base/error.h"
#include "base/page_memory.h"
#include "base/quantile.h"
#include "device/peak_loops.h"

namespace hyalite {
namespace {

constexpr size_t line = 64;

// One part per thread, of whole cache lines.
size_t part_bytes(size_t bytes, int threads) {
  return std::max(bytes / static_cast<size_t>(threads) / line, size_t{1}) * line;
}

// Calls work(at, size) for pieces of a part of `bytes` bytes, with a barrier after each. On every thread of run().
template <class Work>
void in_pieces(ThreadPool& pool, size_t bytes, const Work& work) {
  constexpr size_t piece = size_t{64} << 20;
  for (size_t at = 0; at < bytes; at += piece) {
    work(at, std::min(piece, bytes - at));
    pool.barrier();
  }
}

// Every thread writes its own part first, so that its pages lie near it.
void touch(ThreadPool& pool, size_t part, const PageMemory& memory) {
  pool.run([&](int thread) {
    uint8_t* own = memory.data() + part * static_cast<size_t>(thread);
    in_pieces(pool, part, [&](size_t at, size_t size) { std::memset(own + at, thread + 1, size); });
  });
}

// Runs `work` once to warm up and then `repeats` times; `amount` is what one run does.
template <class Work>
Measurement sample(ThreadPool& pool, int repeats, double amount, const Work& work) {
  std::vector<double> rates;
  for (int i = 0; i <= repeats; ++i) {
    const Stopwatch watch;
    pool.run(work);
    const double taken = watch.seconds();
    if (i > 0) rates.push_back(amount / taken);
  }
  return summarize(std::move(rates));
}

Measurement measure_peak(ThreadPool& pool, const PeakLoop& loop, const MeasureOptions& options) {
  constexpr int64_t probe = 1 << 18;
  volatile uint32_t seed = 0x01030507, sink = 0;
  const Stopwatch watch;
  sink = loop.run(probe, seed);
  const double taken = std::max(watch.seconds(), 1e-6);
  const auto rounds = std::max(int64_t{1}, static_cast<int64_t>(probe * options.seconds / taken));
  std::vector<uint32_t> results(static_cast<size_t>(pool.size()));
  const double amount = static_cast<double>(rounds) * loop.ops_per_round * pool.size();
  const uint32_t value = seed;
  Measurement measured =
      sample(pool, options.repeats, amount, [&](int thread) { results[static_cast<size_t>(thread)] = loop.run(rounds, value); });
  for (const uint32_t result : results) sink = sink ^ result;
  return measured;
}

}  // namespace

Measurement summarize(std::vector<double> samples) {
  Measurement result;
  result.samples = samples;
  if (samples.empty()) return result;
  std::sort(samples.begin(), samples.end());
  result.median = quantile(samples, 0.5);
  if (result.median > 0) result.spread = (quantile(samples, 0.75) - quantile(samples, 0.25)) / (2 * result.median);
  return result;
}

Measurement measure_read(ThreadPool& pool, int threads, const MeasureOptions& options) {
  HYALITE_CHECK(threads >= 1 && threads <= pool.size(), "more reading threads than the pool has");
  const size_t part = part_bytes(options.bytes, pool.size());
  const PageMemory data(part * static_cast<size_t>(pool.size()));
  touch(pool, part, data);
  std::vector<uint64_t> sums(static_cast<size_t>(pool.size()));
  volatile uint64_t sink = 0;
  Measurement measured = sample(pool, options.repeats, static_cast<double>(part) * threads, [&](int thread) {
    const auto index = static_cast<size_t>(thread);
    uint64_t sum = 0;
    in_pieces(pool, part, [&](size_t at, size_t size) {
      if (thread < threads) sum += read_stream(data.data() + part * index + at, size);
    });
    sums[index] = sum;
  });
  for (const uint64_t sum : sums) sink = sink + sum;
  return measured;
}

Measurement measure_copy(ThreadPool& pool, const MeasureOptions& options) {
  const size_t part = part_bytes(options.bytes / 2, pool.size());
  const PageMemory from(part * static_cast<size_t>(pool.size())), to(part * static_cast<size_t>(pool.size()));
  touch(pool, part, from);
  touch(pool, part, to);
  return sample(pool, options.repeats, static_cast<double>(part) * pool.size(), [&](int thread) {
    const size_t own = part * static_cast<size_t>(thread);
    in_pieces(pool, part, [&](size_t at, size_t size) { std::memcpy(to.data() + own + at, from.data() + own + at, size); });
  });
}

Measurement measure_int8(ThreadPool& pool, uint32_t features, const MeasureOptions& options) {
  return measure_peak(pool, int8_peak_loop(features), options);
}

Measurement measure_f32(ThreadPool& pool, uint32_t features, const MeasureOptions& options) {
  return measure_peak(pool, f32_peak_loop(features), options);
}

Calibration calibrate(ThreadPool& pool, const Machine& machine, const MeasureOptions& options) {
  const ThreadPool::CancelScope scope(pool, options.cancel);
  Calibration result;
  result.read_one = measure_read(pool, 1, options);
  result.read_all = measure_read(pool, pool.size(), options);
  result.copy_all = measure_copy(pool, options);
  result.int8_all = measure_int8(pool, machine.features, options);
  result.f32_all = measure_f32(pool, machine.features, options);
  return result;
}

Machine with_calibration(Machine machine, const Calibration& calibration) {
  machine.measured = true;
  machine.read_bytes_per_s = calibration.read_all.median;
  machine.int8_ops_per_s = calibration.int8_all.median;
  machine.f32_flops_per_s = calibration.f32_all.median;
  return machine;
}

}  // namespace hyalite
