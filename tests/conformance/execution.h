// Runs a variant on a case the way a plan would, with guards round everything that it may write.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "case.h"
#include "kernels/kernel_variant.h"

namespace hyalite::conformance {

struct Outcome {
  std::vector<std::vector<float>> results;  // by result; empty for a cache
  std::vector<uint8_t> cache;               // after the step
  std::string damage;                       // what was written that should not have been, or empty
};

// Threads take their turns one after the other (in falling order, so that none can lean on an earlier one), phase by phase.
Outcome run(const KernelVariant& variant, const Case& problem, int threads);

// The same step as several smaller ones, with tokens [0, cuts[0]), [cuts[0], cuts[1]), ..., in buffers planned for the whole.
// REQUIRES: splits_by_tokens(problem).
Outcome run_in_steps(const KernelVariant& variant, const Case& problem, const std::vector<int64_t>& cuts, int threads);
bool splits_by_tokens(const Case& problem);

}  // namespace hyalite::conformance
