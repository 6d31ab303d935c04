#include "kernels/cpu/roofline.h"

#include <algorithm>

namespace hyalite {
namespace {

// A scalar FMA is a library call where the target lacks the instruction: about the work of 16 lanes lost twice over.
double lanes_of(uint32_t features) {
  return features & kAvx512 ? 16 : features & kAvx2 ? 8 : 0.5;
}

}  // namespace

double f32_rate(const Machine& machine, uint32_t needs) {
  return machine.f32_flops_per_s * std::min(1.0, lanes_of(needs) / lanes_of(machine.features));
}

double cache_rate(const Machine& machine) {
  constexpr double bytes_per_core = 40e9;  // one load and one store a few cycles apart, from L2 or L3
  return std::max(machine.read_bytes_per_s, machine.cores * bytes_per_core);
}

double roofline_seconds(const Cost& cost, double streamed, const Machine& machine, uint32_t needs) {
  const double moving = streamed / machine.read_bytes_per_s + (cost.bytes - streamed) / cache_rate(machine);
  return std::max(moving, cost.flops / f32_rate(machine, needs));
}

double scatter_seconds(double keys, const Machine& machine) {
  constexpr double seconds_per_key = 0.5e-9;
  return keys * seconds_per_key / machine.cores;
}

}  // namespace hyalite
