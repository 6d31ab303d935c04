#include "workbench/divergence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "base/digest.h"
#include "base/error.h"

namespace hyalite {
namespace {

// A row whose log-probabilities are exactly 0.25 * code + lowest.
LogProbRow row_of(const std::vector<uint16_t>& codes) {
  double sum = 0;
  for (uint16_t code : codes) sum += std::exp(0.25 * code);
  return {0.25F, static_cast<float>(-std::log(sum)), codes};
}

double kl_of(const std::vector<float>& base, const std::vector<float>& model) {
  return divergence(Distribution(base), Distribution(model), 0).kl;
}

// Against a compact base of `base` that keeps `kept` ids.
Divergence compact_divergence(const std::vector<float>& base, const std::vector<float>& model, int64_t kept) {
  const auto vocab = static_cast<int64_t>(base.size());
  CompactBaseWriter writer({.model = "m", .vocabulary = digest_of(""), .vocab = vocab, .cut = {4, 1}, .kept = kept},
                           std::vector<int32_t>{0, 0, 0, 0});
  writer.set(0, Distribution(base), 1);
  const std::string file = std::move(writer).finish();
  const CompactBase read({reinterpret_cast<const uint8_t*>(file.data()), file.size()}, "base");
  return divergence(read.row(0), Distribution(model), 1);
}

TEST(Divergence, IsZeroForTheSameDistributionUpToAShiftOfLogits) {
  const std::vector<uint16_t> codes = {8, 0, 3};
  const std::vector<float> logits = {12, 10, 10.75F};
  const Divergence same = divergence(row_of(codes), Distribution(logits), 1);
  EXPECT_NEAR(same.kl, 0, 1e-6);
  EXPECT_EQ(same.base.top, 0);
  EXPECT_EQ(same.model.top, 0);
  EXPECT_NEAR(same.base.next_log_prob, same.model.next_log_prob, 1e-6);
  EXPECT_NEAR(kl_of({2, 0, 0.75F}, logits), 0, 1e-12);
}

TEST(Divergence, OfTwoCoinsIsTheTextbookValue) {
  const double p = std::exp(1.0) / (1 + std::exp(1.0));
  const double wanted = p * std::log(2 * p) + (1 - p) * std::log(2 * (1 - p));
  const std::vector<uint16_t> codes = {4, 0};  // odds of e to 1
  const std::vector<float> even = {0, 0}, second = {0, 1};
  EXPECT_NEAR(divergence(row_of(codes), Distribution(even), 0).kl, wanted, 1e-6);
  EXPECT_NEAR(kl_of({1, 0}, even), wanted, 1e-12);
  const Divergence other = divergence(row_of(codes), Distribution(second), 0);
  EXPECT_NE(other.base.top, other.model.top);
}

TEST(Divergence, FromCodesLeavesOutWhatTheBaseHoldsImpossible) {
  const std::vector<uint16_t> codes = {80, 0};  // the second at e^-20
  const std::vector<float> logits = {0, -1000};
  EXPECT_NEAR(divergence(row_of(codes), Distribution(logits), 0).kl, 0, 1e-6);
}

TEST(Divergence, FromACompactBaseNeverExceedsTheWholeAndReachesItWithMoreIds) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<float> base(500), model(500);
    for (size_t i = 0; i < base.size(); ++i) {
      base[i] = 3 * normal(random);
      model[i] = base[i] + 0.3F * normal(random);
    }
    const double whole = kl_of(base, model);
    double before = -1e-6;
    for (int64_t kept : {1, 10, 100, 500}) {
      const double kl = compact_divergence(base, model, kept).kl;
      EXPECT_GE(kl, before - 1e-6) << kept;  // a finer choice tells more
      EXPECT_LE(kl, whole + 1e-6) << kept;
      before = kl;
    }
    EXPECT_NEAR(before, whole, 1e-5);
    EXPECT_GT(compact_divergence(base, model, 100).kl, 0.7 * whole);
  }
}

TEST(Divergence, FromACompactBaseKnowsTheChoicesAndTheTokenThatFollows) {
  const std::vector<float> base = {0, -2, 3}, model = {4, 0, 1};
  const Divergence d = compact_divergence(base, model, 1);
  EXPECT_EQ(d.base.top, 2);
  EXPECT_EQ(d.model.top, 0);
  EXPECT_NEAR(d.base.next_log_prob, Distribution(base).log_prob(1), 1e-6);
  EXPECT_NEAR(d.model.next_log_prob, Distribution(model).log_prob(1), 1e-12);
}

TEST(Distribution, RefusesWhatIsNotFinite) {
  const std::vector<float> nan = {0, std::nanf("")}, infinite = {0, INFINITY};
  EXPECT_THROW(Distribution{nan}, Error);
  EXPECT_THROW(Distribution{infinite}, Error);
}

}  // namespace
}  // namespace hyalite
