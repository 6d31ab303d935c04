#include "workbench/comparison.h"

#include <gtest/gtest.h>

#include <cmath>

#include "workbench/worst_tokens.h"

namespace hyalite {
namespace {

TEST(Windows, CutATextIntoWholeWindowsAndScoreTheirSecondHalves) {
  const WindowCut cut = cut_windows(1100, 512, 1000);
  EXPECT_EQ(cut.windows, 2);
  EXPECT_EQ(cut.per_window(), 255);  // as llama-perplexity: the last token predicts nothing that is there
  EXPECT_EQ(cut.position(0), 257);
  EXPECT_EQ(cut.position(254), 511);
  EXPECT_EQ(cut.position(255), 512 + 257);
  EXPECT_EQ(cut_windows(1100, 512, 1).windows, 1);
}

TEST(Comparison, SummaryHasMeanAgreementAndPercentiles) {
  std::vector<Divergence> tokens;
  for (int i = 100; i >= 0; --i)
    tokens.push_back({.kl = static_cast<double>(i), .base = {.next_log_prob = -1}, .model = {.top = i == 0, .next_log_prob = -1.5}});
  const ComparisonSummary s = summarize(tokens, {4, 101});
  EXPECT_EQ(s.tokens, 101);
  EXPECT_DOUBLE_EQ(s.top1_agreement.mean, 100.0 / 101);
  EXPECT_NEAR(s.kl.mean, 50, 1e-9);
  EXPECT_NEAR(s.kl.standard_error, std::sqrt(850.0 / 100), 1e-9);
  EXPECT_DOUBLE_EQ(s.kl_median, 50);
  EXPECT_DOUBLE_EQ(s.kl_p99, 99);
  EXPECT_DOUBLE_EQ(s.kl_max, 100);
  EXPECT_NEAR(s.base_perplexity.mean, std::exp(1.0), 1e-9);
  EXPECT_NEAR(s.perplexity_ratio.mean, std::exp(0.5), 1e-9);
  EXPECT_NEAR(s.perplexity_ratio.high, s.perplexity_ratio.low, 1e-9);  // the same ratio everywhere
}

TEST(WorstTokens, AreTheLargestAndOfEqualsTheEarlier) {
  EXPECT_EQ(largest(std::vector<double>{1, 3, 2, 3}, 3), (std::vector<int64_t>{1, 3, 2}));
  EXPECT_EQ(largest(std::vector<double>{1}, 3), (std::vector<int64_t>{0}));
}

}  // namespace
}  // namespace hyalite
