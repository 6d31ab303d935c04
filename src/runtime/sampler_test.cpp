#include "runtime/sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "base/error.h"

namespace hyalite {
namespace {

const std::vector<float> kLogits = {1, 3, 2, 3, -1};

Sampler make(SamplingOptions options, std::vector<int32_t> prompt = {}, int64_t valid = 5) {
  return Sampler(std::move(options), valid, prompt);
}

std::set<int32_t> drawn(const SamplingOptions& options, const std::vector<float>& logits = kLogits) {
  std::set<int32_t> ids;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SamplingOptions seeded = options;
    seeded.seed = seed;
    ids.insert(make(seeded).sample(logits).id);
  }
  return ids;
}

TEST(Sampler, GreedyTakesTheLowerIdOfATie) {
  EXPECT_EQ(make({}).sample(kLogits).id, 1);
}

TEST(Sampler, NeverDrawsPaddingIds) {
  std::vector<float> logits = {0, 0, 0, 100, 100};
  EXPECT_EQ(make({.logprobs = 5}, {}, 3).sample(logits).id, 0);
  EXPECT_EQ(make({.logprobs = 5}, {}, 3).sample(logits).top.size(), 3u);
}

TEST(Sampler, SameSeedSameDraws) {
  std::vector<int32_t> a, b;
  Sampler one = make({.temperature = 1.5, .seed = 7}), two = make({.temperature = 1.5, .seed = 7});
  for (int i = 0; i < 50; ++i) {
    a.push_back(one.sample(kLogits).id);
    b.push_back(two.sample(kLogits).id);
  }
  EXPECT_EQ(a, b);
  EXPECT_GT(std::set<int32_t>(a.begin(), a.end()).size(), 1u);
}

TEST(Sampler, DrawsFollowTheSoftmax) {
  std::map<int32_t, int> counts;
  Sampler sampler = make({.temperature = 1, .seed = 3});
  const int n = 20000;
  for (int i = 0; i < n; ++i) ++counts[sampler.sample(kLogits).id];
  double total = 0;
  for (float x : kLogits) total += std::exp(x);
  for (int32_t id = 0; id < 5; ++id) EXPECT_NEAR(counts[id] / double(n), std::exp(kLogits[id]) / total, 0.015) << id;
}

TEST(Sampler, TopKKeepsTheLikeliest) {
  EXPECT_EQ(drawn({.temperature = 5, .top_k = 2}), (std::set<int32_t>{1, 3}));
  EXPECT_EQ(drawn({.temperature = 5, .top_k = 1}), (std::set<int32_t>{1}));
}

TEST(Sampler, TopPKeepsTheSmallestSetThatReachesIt) {
  // Probabilities 0.40, 0.40, 0.15, 0.05, 0.01 of ids 1, 3, 2, 0, 4.
  EXPECT_EQ(drawn({.temperature = 1, .top_p = 0.3}), (std::set<int32_t>{1}));
  EXPECT_EQ(drawn({.temperature = 1, .top_p = 0.75}), (std::set<int32_t>{1, 3}));
  EXPECT_EQ(drawn({.temperature = 1, .top_p = 0.9}), (std::set<int32_t>{1, 2, 3}));
}

// Against the definition, over a vocabulary that is larger than what is sorted at once.
TEST(Sampler, TopPOfManyTokensIsTheSmallestSet) {
  std::vector<float> logits(700);
  for (size_t id = 0; id < logits.size(); ++id) logits[id] = static_cast<float>(id * 263 % 700) / 400;  // every rank once
  for (double top_p : {0.01, 0.2, 0.5, 0.95}) {
    std::vector<double> weights;
    for (float x : logits) weights.push_back(std::exp(double(x)));
    std::ranges::sort(weights, std::greater<>());
    const double mass = top_p * std::accumulate(weights.begin(), weights.end(), 0.0);
    size_t kept = 0;
    for (double sum = 0; sum < mass; ++kept) sum += weights[kept];
    std::set<int32_t> ids;
    Sampler sampler = make({.temperature = 1, .top_p = top_p, .seed = 1}, {}, 700);
    for (int i = 0; i < 20000; ++i) ids.insert(sampler.next(logits));
    EXPECT_EQ(ids.size(), kept) << top_p;
    for (int32_t id : ids) EXPECT_GE(std::exp(double(logits[id])), weights[kept - 1] * (1 - 1e-6)) << top_p;
  }
}

TEST(Sampler, ACopyGoesOnAsTheOriginalWould) {
  Sampler one = make({.temperature = 2, .repeat_penalty = 1.5, .frequency_penalty = 0.3, .seed = 9}, {1});
  for (int i = 0; i < 5; ++i) one.next(kLogits);
  Sampler other = one;
  for (int i = 0; i < 20; ++i) EXPECT_EQ(one.next(kLogits), other.sample(kLogits).id) << i;
}

TEST(Sampler, MinPDropsUnlikelyTokens) {
  EXPECT_EQ(drawn({.temperature = 1, .min_p = 0.2}), (std::set<int32_t>{1, 2, 3}));
}

TEST(Sampler, PenaltiesRespectSign) {
  std::vector<float> logits = {2, 1.5, -1, -1.5, 0};
  EXPECT_EQ(make({.repeat_penalty = 2}, {0, 0}).sample(logits).id, 1);  // 2 / 2 < 1.5
  std::vector<float> negative = {-1, -1.5, -3, -3, -3};
  EXPECT_EQ(make({.repeat_penalty = 2}, {0}).sample(negative).id, 1);  // -1 * 2 < -1.5
  Sampler presence = make({.presence_penalty = 1}, {0});
  EXPECT_EQ(presence.sample(logits).id, 0);  // the prompt does not count
  EXPECT_EQ(presence.sample(logits).id, 1);
}

TEST(Sampler, BiasAndBansChangeTheChoice) {
  EXPECT_EQ(make({.logit_bias = {{4, 100.0}}}).sample(kLogits).id, 4);
  const int32_t banned[] = {1};
  EXPECT_EQ(make({}).sample(kLogits, banned).id, 3);
}

TEST(Sampler, LogprobsAreTheModelsOwn) {
  SampledToken token = make({.logit_bias = {{4, 100.0}}, .logprobs = 3}).sample(kLogits);
  double total = 0;
  for (float x : kLogits) total += std::exp(x);
  EXPECT_NEAR(token.logprob, -1 - std::log(total), 1e-5);
  ASSERT_EQ(token.top.size(), 3u);
  EXPECT_EQ(token.top[0].id, 1);
  EXPECT_EQ(token.top[1].id, 3);
  EXPECT_EQ(token.top[2].id, 2);
  EXPECT_NEAR(token.top[2].logprob, 2 - std::log(total), 1e-5);
}

TEST(Sampler, NonFiniteLogitsEndTheRequest) {
  for (float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    std::vector<float> logits = kLogits;
    logits[2] = bad;
    try {
      make({}).sample(logits);
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::non_finite_logits);
    }
  }
}

TEST(Sampler, AnEmptyChoiceIsAnError) {
  const double never = -std::numeric_limits<double>::infinity();
  for (double temperature : {0.0, 1.0}) {
    SamplingOptions none{.temperature = temperature, .logit_bias = {{0, never}, {1, never}, {2, never}, {3, never}, {4, never}}};
    try {
      make(none).sample(kLogits);
      FAIL() << temperature;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    }
  }
}

TEST(Sampler, RefusesOptionsOutOfRange) {
  EXPECT_THROW(make({.logit_bias = {{5, 1.0}}}), Error);
  for (const SamplingOptions& bad :
       {SamplingOptions{.temperature = -1}, SamplingOptions{.top_k = -1}, SamplingOptions{.top_p = 0}, SamplingOptions{.min_p = 2},
        SamplingOptions{.repeat_penalty = 0}, SamplingOptions{.temperature = std::nan("")}})
    EXPECT_THROW(check_sampling(bad), Error);
}

}  // namespace
}  // namespace hyalite
