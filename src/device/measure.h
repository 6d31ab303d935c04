// Measured figures of this machine, for `profile --calibrate`. Every sample uses all threads at once from a common start, and counts
// until the last one ends. Memory is in huge pages where the system gives them, as packed weights are. Nothing here runs unless asked for.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/thread_pool.h"
#include "device/machine.h"

namespace hyalite {

struct MeasureOptions {
  int repeats = 9;                            // samples per figure, after one unrecorded warm-up
  size_t bytes = size_t{256} << 20;           // memory streamed per sample; should exceed the caches several times
  double seconds = 0.03;                      // arithmetic per sample and thread, roughly
  const std::atomic<bool>* cancel = nullptr;  // polled in calibrate(); Error{cancelled}
};

struct Measurement {
  std::vector<double> samples;  // per second, in the order taken
  double median = 0;
  double spread = 0;  // half the distance between the quartiles, relative to the median
};
Measurement summarize(std::vector<double> samples);

// Bytes read a second by the first `threads` threads of the pool, each from a part of its own.
Measurement measure_read(ThreadPool& pool, int threads, const MeasureOptions& options);
// Bytes copied a second by all threads (each byte counts once, though it is read and written).
Measurement measure_copy(ThreadPool& pool, const MeasureOptions& options);
// Multiplications and additions a second on all threads with the best instructions that `features` allows.
Measurement measure_int8(ThreadPool& pool, uint32_t features, const MeasureOptions& options);
Measurement measure_f32(ThreadPool& pool, uint32_t features, const MeasureOptions& options);

struct Calibration {
  Measurement read_one, read_all, copy_all;  // bytes/s
  Measurement int8_all, f32_all;             // operations/s
};
Calibration calibrate(ThreadPool& pool, const Machine& machine, const MeasureOptions& options = {});

// `machine` with the measured rates.
Machine with_calibration(Machine machine, const Calibration& calibration);

}  // namespace hyalite
