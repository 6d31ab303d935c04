// The tight loops behind measure.h: what the arithmetic units do when nothing waits for memory. Pure functions, any thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hyalite {

struct PeakLoop {
  uint32_t needs;        // CpuFeature mask
  double ops_per_round;  // multiplications and additions, each counted
  // Does `rounds` rounds on values derived from `seed`; the result depends on all of them, so that nothing can be left out.
  uint32_t (*run)(int64_t rounds, uint32_t seed);
};

// The fastest loop that `features` allows.
const PeakLoop& int8_peak_loop(uint32_t features);
const PeakLoop& f32_peak_loop(uint32_t features);

// Reads every byte once. `data` is 64-byte aligned, `bytes` a multiple of 64.
uint64_t read_stream(const uint8_t* data, size_t bytes);

}  // namespace hyalite
