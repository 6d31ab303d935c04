#include "workbench/estimate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/error.h"

namespace hyalite {
namespace {

constexpr int64_t kFewestBlocks = 4;

// The 97.5% quantile of Student's t: Fisher and Cornish's expansion about the normal quantile, within 1% from 3 degrees of freedom on.
double student_quantile(double degrees) {
  return 1.959964 + 2.37227 / degrees + 2.82249 / (degrees * degrees) + 2.5558 / (degrees * degrees * degrees);
}

}  // namespace

Estimate estimate_mean(std::span<const double> values, int64_t per_window) {
  HYALITE_CHECK(!values.empty() && per_window > 0, "nothing was scored");
  const auto count = static_cast<int64_t>(values.size());
  Estimate estimate;
  estimate.mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(count);
  double squares = 0;
  int64_t blocks = 0;
  for (int64_t at = 0; at < count; ++blocks) {
    const int64_t left_in_window = per_window - at % per_window;
    const int64_t end = at + std::min({kBlockTokens, left_in_window, count - at});
    double off = 0;
    for (; at < end; ++at) off += values[at] - estimate.mean;
    squares += off * off;
  }
  const auto b = static_cast<double>(blocks);
  if (blocks > 1) estimate.standard_error = std::sqrt(squares * b / (b - 1)) / static_cast<double>(count);
  const double reach = blocks < kFewestBlocks ? std::numeric_limits<double>::infinity() : student_quantile(b - 1) * estimate.standard_error;
  estimate.low = estimate.mean - reach;
  estimate.high = estimate.mean + reach;
  return estimate;
}

}  // namespace hyalite
