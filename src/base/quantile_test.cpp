#include "base/quantile.h"

#include <gtest/gtest.h>

namespace hyalite {
namespace {

TEST(Quantile, LiesBetweenSamples) {
  EXPECT_EQ(quantile({3}, 0.9), 3);
  EXPECT_EQ(quantile({1, 2, 4}, 0.5), 2);
  EXPECT_EQ(quantile({1, 2, 4, 8}, 0.5), 3);
  EXPECT_EQ(quantile({0, 10}, 0.25), 2.5);
  EXPECT_EQ(quantile({1, 2, 4}, 0), 1);
  EXPECT_EQ(quantile({1, 2, 4}, 1), 4);
}

}  // namespace
}  // namespace hyalite
