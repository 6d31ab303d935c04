// How far a model's predictions are from a base's, token by token, with llama-perplexity's definitions: KL(base || model) over the ids
// whose base log-probability is above -16, and whether both rank the same token first.
#pragma once

#include <span>
#include <vector>

#include "workbench/logit_base.h"

namespace hyalite {

struct Divergence {
  double kl = 0;  // nats; may be a hair below zero, because the base is rounded
  bool same_top = false;
};

// REQUIRES: logits.size() == base.codes.size(), not empty.
Divergence divergence(const LogProbRow& base, std::span<const float> logits);

struct DivergenceSummary {
  int64_t tokens = 0;
  double top1_agreement = 0;                                                // share of tokens
  double kl_mean = 0, kl_error = 0, kl_median = 0, kl_p99 = 0, kl_max = 0;  // kl_error: standard error of the mean
};

// REQUIRES: not empty.
DivergenceSummary summarize(std::span<const Divergence> tokens);

}  // namespace hyalite
