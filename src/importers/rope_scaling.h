// Formulas that importers resolve so that later stages need not know who wrote the file.
#pragma once

#include <cmath>

namespace hyalite {

// What YaRN multiplies cos and sin with where the file does not say it (transformers' modeling_rope_utils): 0.1 ln(factor) + 1, or, where
// both magnitude scales are given (not 0), the quotient of g(mscale) and g(mscale_all_dim), g(m) = 0.1 m ln(factor) + 1.
inline double yarn_attention_factor(double factor, double mscale = 0, double mscale_all_dim = 0) {
  auto g = [factor](double m) { return factor <= 1 ? 1.0 : 0.1 * m * std::log(factor) + 1; };
  return mscale != 0 && mscale_all_dim != 0 ? g(mscale) / g(mscale_all_dim) : g(1);
}

}  // namespace hyalite
