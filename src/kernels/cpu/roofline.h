// Predicted time of a step: bytes over bandwidth or operations over rate, whichever is longer.
#pragma once

#include "device/machine.h"
#include "ops/op_spec.h"

namespace hyalite {

// Float operations a second on all cores with the instructions of `needs`, scaled from the machine's best by vector width.
double f32_rate(const Machine& machine, uint32_t needs);

// Bytes a second on all cores from the caches, where the activations of a step lie.
double cache_rate(const Machine& machine);

// `streamed` bytes come from memory, `cost.bytes` in all; the rest comes from the caches.
double roofline_seconds(const Cost& cost, double streamed, const Machine& machine, uint32_t needs);

// For keys that go to their page, scattered: an element a cycle or so.
double scatter_seconds(double keys, const Machine& machine);

}  // namespace hyalite
