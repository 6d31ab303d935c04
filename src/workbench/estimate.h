// The mean of a figure over the scored tokens of a text, with the interval that the true mean lies in with 95% confidence. Neighbours in a
// text are not independent, so blocks of neighbours are what counts as one observation: the standard error is that of a ratio of block
// sums (cluster-robust), the interval Student's with one degree of freedom less than there are blocks.
#pragma once

#include <cstdint>
#include <span>

namespace hyalite {

struct Estimate {
  double mean = 0;
  double standard_error = 0;
  double low = 0, high = 0;  // infinite where there are fewer than four blocks
};

inline constexpr int64_t kBlockTokens = 32;

// `values` in the order of the text, `per_window` of them from each window; a block has at most kBlockTokens and lies in one window.
// REQUIRES: not empty, per_window > 0.
Estimate estimate_mean(std::span<const double> values, int64_t per_window);

}  // namespace hyalite
