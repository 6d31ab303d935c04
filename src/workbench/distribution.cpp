#include "workbench/distribution.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace hyalite {

Distribution::Distribution(std::span<const float> row) : logits(row) {
  const auto most = std::max_element(row.begin(), row.end());
  top = static_cast<int32_t>(most - row.begin());
  double sum = 0;
  for (float logit : row) sum += std::exp(static_cast<double>(logit - *most));
  normaliser = static_cast<double>(*most) + std::log(sum);
  if (!std::isfinite(normaliser)) throw Error(ErrorCode::non_finite_logits, "scored token", "its logits are not finite");
}

Prediction prediction_of(const Distribution& d, int32_t next) {
  return {d.top, d.log_prob(d.top), d.log_prob(next)};
}

}  // namespace hyalite
