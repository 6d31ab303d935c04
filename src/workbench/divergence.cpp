#include "workbench/divergence.h"

#include <algorithm>
#include <cmath>

namespace hyalite {
namespace {

constexpr float kLeastLogProb = -16;

// REQUIRES: sorted, not empty, 0 <= share <= 1. Between two values, linear.
double percentile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(at);
  const double part = at - static_cast<double>(below);
  return (1 - part) * sorted[below] + part * sorted[std::min(below + 1, sorted.size() - 1)];
}

}  // namespace

Divergence divergence(const LogProbRow& base, std::span<const float> logits) {
  const auto most = std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (float logit : logits) sum += std::exp(static_cast<double>(logit - *most));
  const double normaliser = static_cast<double>(*most) + std::log(sum);
  Divergence result;
  for (size_t id = 0; id < logits.size(); ++id) {
    const float log_prob = base.log_prob(id);
    if (log_prob > kLeastLogProb) result.kl += std::exp(static_cast<double>(log_prob)) * (log_prob - (logits[id] - normaliser));
  }
  // By code: equal logits of a near tie share the highest one, and the first of them counts as the base's choice.
  const auto base_top = std::max_element(base.codes.begin(), base.codes.end()) - base.codes.begin();
  result.same_top = base_top == most - logits.begin();
  return result;
}

DivergenceSummary summarize(std::span<const Divergence> tokens) {
  DivergenceSummary summary{.tokens = static_cast<int64_t>(tokens.size())};
  const auto count = static_cast<double>(tokens.size());
  std::vector<double> sorted;
  double squares = 0;
  int64_t agreed = 0;
  for (const Divergence& one : tokens) {
    sorted.push_back(one.kl);
    summary.kl_mean += one.kl / count;
    squares += one.kl * one.kl / count;
    agreed += one.same_top;
  }
  summary.top1_agreement = static_cast<double>(agreed) / count;
  std::sort(sorted.begin(), sorted.end());
  summary.kl_error = std::sqrt(std::max(0.0, squares - summary.kl_mean * summary.kl_mean) / std::max(1.0, count - 1));
  summary.kl_median = percentile(sorted, 0.5);
  summary.kl_p99 = percentile(sorted, 0.99);
  summary.kl_max = sorted.back();
  return summary;
}

}  // namespace hyalite
