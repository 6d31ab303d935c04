#include "workbench/divergence.h"

#include <algorithm>
#include <cmath>

namespace hyalite {
namespace {

constexpr float kLeastLogProb = -16;
constexpr double kLeastRest = 1e-12;  // below it, what is left of 1 is rounding

}  // namespace

Divergence divergence(const Distribution& base, const Distribution& model, int32_t next) {
  Divergence result{.base = prediction_of(base, next), .model = prediction_of(model, next)};
  for (size_t id = 0; id < base.logits.size(); ++id) {
    const double log_prob = base.log_prob(static_cast<int32_t>(id));
    if (const double p = std::exp(log_prob); p > 0) result.kl += p * (log_prob - model.log_prob(static_cast<int32_t>(id)));
  }
  return result;
}

Divergence divergence(const LogProbRow& base, const Distribution& model, int32_t next) {
  // By code: equal logits of a near tie share the highest one, and the first of them counts as the base's choice.
  const auto top = static_cast<int32_t>(std::max_element(base.codes.begin(), base.codes.end()) - base.codes.begin());
  Divergence result{.base = {top, base.log_prob(top), base.log_prob(next)}, .model = prediction_of(model, next)};
  for (size_t id = 0; id < base.codes.size(); ++id) {
    const float log_prob = base.log_prob(id);
    if (log_prob > kLeastLogProb)
      result.kl += std::exp(static_cast<double>(log_prob)) * (log_prob - model.log_prob(static_cast<int32_t>(id)));
  }
  return result;
}

Divergence divergence(const CompactRow& base, const Distribution& model, int32_t next) {
  Divergence result{.base = {base.ids[0], base.log_probs[0], base.next_log_prob}, .model = prediction_of(model, next)};
  double model_rest = 1;
  for (size_t i = 0; i < base.ids.size(); ++i) {
    const double log_prob = base.log_probs[i];
    const double model_log_prob = model.log_prob(base.ids[i]);
    model_rest -= std::exp(model_log_prob);
    if (const double p = std::exp(log_prob); p > 0) result.kl += p * (log_prob - model_log_prob);
  }
  if (const double rest = std::exp(static_cast<double>(base.rest_log_prob)); rest > kLeastRest)
    result.kl += rest * (base.rest_log_prob - std::log(std::max(model_rest, kLeastRest)));
  return result;
}

}  // namespace hyalite
