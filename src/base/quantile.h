// Quantiles of samples.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace hyalite {

// The value a share of the way through sorted samples, linear between two of them. REQUIRES: sorted, not empty, 0 <= share <= 1.
inline double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(place);
  const double low = sorted[below], high = sorted[std::min(below + 1, sorted.size() - 1)];
  return low + (high - low) * (place - static_cast<double>(below));
}

}  // namespace hyalite
