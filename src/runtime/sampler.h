// Turns one row of logits into a token. Order: logit bias, penalties, then greedy, or temperature, top-k, min-p, top-p, draw.
// Sorts no more of the vocabulary than top-p keeps (twice as much at most, and 64). Allocates only for penalties and log-probabilities.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/split_mix.h"

namespace hyalite {

struct SamplingOptions {
  double temperature = 0;        // 0: greedy
  int64_t top_k = 0;             // 0: off
  double top_p = 1;              // 1: off
  double min_p = 0;              // 0: off; keeps tokens with at least min_p times the best one's probability
  double repeat_penalty = 1;     // 1: off; divides positive and multiplies negative logits of tokens seen (prompt and answer), once each
  double presence_penalty = 0;   // subtracted once for a token in the answer
  double frequency_penalty = 0;  // subtracted for every time it is in the answer
  std::vector<std::pair<int32_t, double>> logit_bias;
  std::optional<uint64_t> seed;  // absent: a random one
  int64_t logprobs = 0;          // how many of the most likely tokens to report
};

// Throws Error{invalid_argument} naming the option that is out of range or not finite.
void check_sampling(const SamplingOptions& options);

struct TokenLogprob {
  int32_t id;
  float logprob;
};

struct SampledToken {
  int32_t id = -1;
  float logprob = 0;              // of the model's own distribution, before bias, penalties and temperature; 0 without options.logprobs
  std::vector<TokenLogprob> top;  // options.logprobs of them, most likely first; ties by lower id
};

// One per sequence; holds its random state and token counts: a copy goes on as the original would. Not shared between threads.
class Sampler {
 public:
  // Ids at or above `valid_ids` (padding rows of the embedding without a token) are never drawn nor reported.
  Sampler(SamplingOptions options, int64_t valid_ids, std::span<const int32_t> prompt);

  // Does the largest of the logits decide, unless it is banned?
  bool wants_top_only() const;

  // Throws Error{non_finite_logits} where a valid logit is NaN or +Inf, or none is finite, and Error{invalid_argument} where bias and
  // `banned` leave no token. `banned` ids are left out (padding of the vocabulary; end tokens under ignore_eos). The logits are not
  // changed.
  SampledToken sample(std::span<const float> logits, std::span<const int32_t> banned = {});
  // The same without log-probabilities: the id alone.
  int32_t next(std::span<const float> logits, std::span<const int32_t> banned = {});

 private:
  std::span<const float> valid(std::span<const float> logits) const;
  void adjust(std::span<const float> logits, std::span<const int32_t> banned);
  void report(std::span<const float> logits, SampledToken& token) const;
  int64_t best() const;
  int32_t draw();
  void keep_likeliest(double mass);
  void count(int32_t id);
  double uniform();

  SamplingOptions options_;
  int64_t valid_ids_;
  SplitMix64 random_{0};                               // seeded by the constructor
  std::vector<int32_t> seen_;                          // distinct ids of prompt and answer, ascending; for repeat_penalty
  std::vector<std::pair<int32_t, int64_t>> answered_;  // id, how often in the answer, ascending; for the other penalties
  std::vector<float> adjusted_;
  std::vector<TokenLogprob> candidates_;
};

}  // namespace hyalite
