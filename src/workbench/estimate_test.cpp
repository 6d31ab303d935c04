#include "workbench/estimate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace hyalite {
namespace {

TEST(Estimate, OfOneValueABlockIsTheTextbookInterval) {
  std::vector<double> values;  // windows with one scored token each: independent
  for (int i = 1; i <= 11; ++i) values.push_back(i);
  const Estimate e = estimate_mean(values, 1);
  EXPECT_DOUBLE_EQ(e.mean, 6);
  EXPECT_NEAR(e.standard_error, 1, 1e-12);     // deviation sqrt(11) over sqrt(11)
  EXPECT_NEAR(e.high - e.mean, 2.2281, 1e-3);  // t of 10 degrees of freedom
  EXPECT_DOUBLE_EQ(e.mean - e.low, e.high - e.mean);
}

TEST(Estimate, NeighboursThatMoveTogetherWidenIt) {
  std::vector<double> together, mixed;
  for (int i = 0; i < 320; ++i) {
    together.push_back(i / 32 % 2);
    mixed.push_back(i % 2);
  }
  EXPECT_NEAR(estimate_mean(mixed, 320).standard_error, 0, 1e-12);
  EXPECT_NEAR(estimate_mean(together, 320).standard_error, std::sqrt(0.25 / 9), 1e-12);
}

TEST(Estimate, BlocksEndWithTheirWindow) {
  // Windows of 33: blocks of 32 and of 1, eight in all.
  std::vector<double> values(132, 0);
  EXPECT_TRUE(std::isfinite(estimate_mean(values, 33).high));
  EXPECT_TRUE(std::isinf(estimate_mean(std::vector<double>(96, 0), 96).high));  // three blocks tell nothing
}

TEST(Estimate, HoldsTheTrueMeanAboutNineteenTimesInTwenty) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal(3, 1);
  int held = 0;
  for (int trial = 0; trial < 400; ++trial) {
    std::vector<double> values;
    for (int block = 0; block < 12; ++block) values.insert(values.end(), 32, normal(random));  // wholly dependent inside a block
    const Estimate e = estimate_mean(values, 64);
    held += e.low <= 3 && 3 <= e.high;
  }
  EXPECT_GT(held, 364);
  EXPECT_LT(held, 396);
}

}  // namespace
}  // namespace hyalite
