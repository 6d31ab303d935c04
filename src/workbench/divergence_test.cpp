#include "workbench/divergence.h"

#include <gtest/gtest.h>

#include <cmath>

namespace hyalite {
namespace {

// A row whose log-probabilities are exactly 0.25 * code + lowest.
LogProbRow row_of(const std::vector<uint16_t>& codes) {
  double sum = 0;
  for (uint16_t code : codes) sum += std::exp(0.25 * code);
  return {0.25F, static_cast<float>(-std::log(sum)), codes};
}

TEST(Divergence, IsZeroForTheSameDistributionUpToAShiftOfLogits) {
  const std::vector<uint16_t> codes = {8, 0, 3};
  const Divergence same = divergence(row_of(codes), std::vector<float>{12, 10, 10.75F});
  EXPECT_NEAR(same.kl, 0, 1e-6);
  EXPECT_TRUE(same.same_top);
}

TEST(Divergence, OfTwoCoinsIsTheTextbookValue) {
  const std::vector<uint16_t> codes = {4, 0};  // odds of e to 1
  const Divergence coins = divergence(row_of(codes), std::vector<float>{0, 0});
  const double p = std::exp(1.0) / (1 + std::exp(1.0));
  EXPECT_NEAR(coins.kl, p * std::log(2 * p) + (1 - p) * std::log(2 * (1 - p)), 1e-6);
  EXPECT_FALSE(divergence(row_of(codes), std::vector<float>{0, 1}).same_top);
}

TEST(Divergence, LeavesOutWhatTheBaseHoldsImpossible) {
  const std::vector<uint16_t> codes = {80, 0};  // the second at e^-20
  EXPECT_NEAR(divergence(row_of(codes), std::vector<float>{0, -1000}).kl, 0, 1e-6);
}

TEST(Divergence, SummaryHasMeanErrorAndPercentiles) {
  std::vector<Divergence> tokens;
  for (int i = 100; i >= 0; --i) tokens.push_back({static_cast<double>(i), i != 0});
  const DivergenceSummary s = summarize(tokens);
  EXPECT_EQ(s.tokens, 101);
  EXPECT_DOUBLE_EQ(s.top1_agreement, 100.0 / 101);
  EXPECT_NEAR(s.kl_mean, 50, 1e-9);
  EXPECT_NEAR(s.kl_error, std::sqrt(850.0 / 100), 1e-9);
  EXPECT_DOUBLE_EQ(s.kl_median, 50);
  EXPECT_DOUBLE_EQ(s.kl_p99, 99);
  EXPECT_DOUBLE_EQ(s.kl_max, 100);
}

}  // namespace
}  // namespace hyalite
