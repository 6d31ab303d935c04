// A row of logits as a distribution over the ids, and what a scored token keeps of one.
#pragma once

#include <cstdint>
#include <span>

namespace hyalite {

struct Distribution {
  // Throws Error{non_finite_logits}. REQUIRES: not empty. `logits` outlive it.
  explicit Distribution(std::span<const float> logits);

  double log_prob(int32_t id) const { return static_cast<double>(logits[id]) - normaliser; }

  std::span<const float> logits;
  double normaliser = 0;  // log of the sum of exp(logit)
  int32_t top = 0;        // the likeliest id, the first of equals
};

// Of one scored token; log-probabilities in nats.
struct Prediction {
  int32_t top = 0;
  double top_log_prob = 0;
  double next_log_prob = 0;  // of the token that follows in the text
};

Prediction prediction_of(const Distribution& distribution, int32_t next);

}  // namespace hyalite
