#include "runtime/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "base/error.h"
#include "base/largest.h"

namespace hyalite {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();

// Most likely first; of equal ones the lower id, so that ties never depend on the algorithm.
bool likelier(const TokenLogprob& a, const TokenLogprob& b) {
  return a.logprob != b.logprob ? a.logprob > b.logprob : a.id < b.id;
}

float highest_finite(std::span<const float> logits) {
  const float best = logits.empty() ? kNever : logits[index_of_largest(logits)];
  if (best == std::numeric_limits<float>::infinity() || any_nan(logits))
    throw Error(ErrorCode::non_finite_logits, "logits", "the model produced NaN or Inf");
  if (best == kNever) throw Error(ErrorCode::non_finite_logits, "logits", "no token has a finite logit");
  return best;
}

double log_sum_exp(std::span<const float> logits, float best) {
  double sum = 0;
  for (float x : logits) sum += std::exp(static_cast<double>(x - best));
  return best + std::log(sum);
}

void require(bool good, const char* name, const char* expected) {
  if (!good) throw Error(ErrorCode::invalid_argument, name, std::string("must be ") + expected);
}

}  // namespace

void check_sampling(const SamplingOptions& o) {
  require(std::isfinite(o.temperature) && o.temperature >= 0 && o.temperature <= 100, "temperature", "between 0 and 100");
  require(o.top_k >= 0, "top_k", "0 (off) or more");
  require(o.top_p > 0 && o.top_p <= 1, "top_p", "above 0 and at most 1");
  require(o.min_p >= 0 && o.min_p <= 1, "min_p", "between 0 and 1");
  require(std::isfinite(o.repeat_penalty) && o.repeat_penalty > 0, "repeat_penalty", "above 0");
  require(std::abs(o.presence_penalty) <= 100, "presence_penalty", "between -100 and 100");
  require(std::abs(o.frequency_penalty) <= 100, "frequency_penalty", "between -100 and 100");
  require(o.logprobs >= 0 && o.logprobs <= 100, "logprobs", "between 0 and 100");
  for (const auto& [id, bias] : o.logit_bias)
    require(id >= 0 && bias <= std::numeric_limits<float>::max(), "logit_bias", "token ids with numbers, or -inf");
}

Sampler::Sampler(SamplingOptions options, int64_t valid_ids, std::span<const int32_t> prompt)
    : options_(std::move(options)), valid_ids_(valid_ids) {
  check_sampling(options_);
  for (const auto& [id, bias] : options_.logit_bias)
    if (id >= valid_ids)
      throw Error(ErrorCode::invalid_argument, "logit_bias " + std::to_string(id),
                  "the vocabulary has " + std::to_string(valid_ids) + " ids");
  const auto any = [] { return static_cast<uint64_t>(std::random_device{}()) << 32 | std::random_device{}(); };
  random_ = SplitMix64(options_.seed ? *options_.seed : any());
  adjusted_.reserve(valid_ids);
  if (options_.temperature > 0) candidates_.reserve(valid_ids);
  if (options_.repeat_penalty == 1) return;
  seen_.assign(prompt.begin(), prompt.end());
  std::ranges::sort(seen_);
  seen_.erase(std::unique(seen_.begin(), seen_.end()), seen_.end());
}

SampledToken Sampler::sample(std::span<const float> logits, std::span<const int32_t> banned) {
  SampledToken token{.id = next(logits, banned)};
  if (options_.logprobs > 0) report(valid(logits), token);
  return token;
}

int32_t Sampler::next(std::span<const float> logits, std::span<const int32_t> banned) {
  logits = valid(logits);
  highest_finite(logits);
  adjust(logits, banned);
  const int32_t id = options_.temperature == 0 ? static_cast<int32_t>(best()) : draw();
  count(id);
  return id;
}

// What penalties will ask for.
void Sampler::count(int32_t id) {
  if (options_.repeat_penalty != 1)
    if (auto at = std::ranges::lower_bound(seen_, id); at == seen_.end() || *at != id) seen_.insert(at, id);
  if (options_.presence_penalty == 0 && options_.frequency_penalty == 0) return;
  auto at = std::ranges::lower_bound(answered_, id, {}, &std::pair<int32_t, int64_t>::first);
  if (at == answered_.end() || at->first != id) at = answered_.insert(at, {id, 0});
  ++at->second;
}

std::span<const float> Sampler::valid(std::span<const float> logits) const {
  return logits.first(std::min<size_t>(logits.size(), valid_ids_));
}

// Fills adjusted_ with the logits after bias and penalties.
void Sampler::adjust(std::span<const float> logits, std::span<const int32_t> banned) {
  adjusted_.assign(logits.begin(), logits.end());
  auto inside = [&](int32_t id) { return id >= 0 && id < static_cast<int64_t>(adjusted_.size()); };
  for (const auto& [id, bias] : options_.logit_bias)
    if (inside(id)) adjusted_[id] += static_cast<float>(bias);
  if (options_.repeat_penalty != 1) {
    const float penalty = static_cast<float>(options_.repeat_penalty);
    for (int32_t id : seen_)
      if (inside(id)) adjusted_[id] = adjusted_[id] > 0 ? adjusted_[id] / penalty : adjusted_[id] * penalty;
  }
  for (const auto& [id, count] : answered_)
    if (inside(id))
      adjusted_[id] -= static_cast<float>(options_.presence_penalty + options_.frequency_penalty * static_cast<double>(count));
  for (int32_t id : banned)
    if (inside(id)) adjusted_[id] = kNever;
}

bool Sampler::wants_top_only() const {
  return options_.temperature == 0 && options_.logprobs == 0 && options_.logit_bias.empty() && options_.repeat_penalty == 1 &&
         options_.presence_penalty == 0 && options_.frequency_penalty == 0;
}

// The likeliest of adjusted_. The logits were finite before the caller's options.
int64_t Sampler::best() const {
  const int64_t best = index_of_largest(adjusted_);
  if (adjusted_[best] == kNever) throw Error(ErrorCode::invalid_argument, "logit_bias", "leaves no token to choose");
  return best;
}

// Candidates hold logits first, then unnormalised probabilities. Those below e^-20 of the best one's are no candidates: 250,000 of them
// hold less than a thousandth of the mass together.
int32_t Sampler::draw() {
  const float highest = adjusted_[best()];
  const float cut = highest - static_cast<float>(20 * options_.temperature);
  candidates_.clear();
  for (size_t id = 0; id < adjusted_.size(); ++id)
    if (adjusted_[id] >= cut) candidates_.push_back({static_cast<int32_t>(id), adjusted_[id]});
  if (options_.top_k > 0 && options_.top_k < std::ssize(candidates_)) {
    std::nth_element(candidates_.begin(), candidates_.begin() + options_.top_k, candidates_.end(), likelier);
    candidates_.resize(options_.top_k);
    std::ranges::sort(candidates_, {}, &TokenLogprob::id);  // how nth_element leaves them is the library's affair
  }
  double total = 0;
  for (TokenLogprob& one : candidates_) {
    one.logprob = std::exp((one.logprob - highest) / static_cast<float>(options_.temperature));
    total += one.logprob;
  }
  if (options_.min_p > 0) std::erase_if(candidates_, [&](const TokenLogprob& one) { return one.logprob < options_.min_p; });
  if (options_.top_p < 1) keep_likeliest(options_.top_p * total);
  double kept = 0;
  for (const TokenLogprob& one : candidates_) kept += one.logprob;
  double at = uniform() * kept;
  for (const TokenLogprob& one : candidates_) {
    at -= one.logprob;
    if (at < 0) return one.id;
  }
  return std::ranges::max_element(candidates_, {}, &TokenLogprob::logprob)->id;  // rounding left nothing to hit
}

// Keeps the fewest of the likeliest candidates that together reach `mass`. Sorts as many as it takes, in parts that double.
void Sampler::keep_likeliest(double mass) {
  double kept = 0;
  size_t count = 0, sorted = 0;
  while (count < candidates_.size() && kept < mass) {
    if (count == sorted) {
      sorted = std::min(std::max<size_t>(64, 2 * sorted), candidates_.size());
      std::partial_sort(candidates_.begin() + count, candidates_.begin() + sorted, candidates_.end(), likelier);
    }
    kept += candidates_[count++].logprob;
  }
  candidates_.resize(count);
}

void Sampler::report(std::span<const float> logits, SampledToken& token) const {
  const double normalizer = log_sum_exp(logits, highest_finite(logits));
  token.logprob = static_cast<float>(logits[token.id] - normalizer);
  std::vector<TokenLogprob>& top = token.top;  // a heap whose front is the least likely kept
  for (size_t id = 0; id < logits.size(); ++id) {
    TokenLogprob one{static_cast<int32_t>(id), logits[id]};
    if (static_cast<int64_t>(top.size()) == options_.logprobs) {
      if (!likelier(one, top.front())) continue;
      std::ranges::pop_heap(top, likelier);
      top.pop_back();
    }
    top.push_back(one);
    std::ranges::push_heap(top, likelier);
  }
  std::ranges::sort(top, likelier);
  for (TokenLogprob& one : top) one.logprob = static_cast<float>(one.logprob - normalizer);
}

double Sampler::uniform() {
  return static_cast<double>(random_.next() >> 11) * 0x1.0p-53;
}

}  // namespace hyalite
