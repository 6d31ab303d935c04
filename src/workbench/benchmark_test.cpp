#include "workbench/benchmark.h"

#include <gtest/gtest.h>

namespace hyalite {
namespace {

TEST(Spread, OfOddAndEvenCounts) {
  Spread odd = spread_of({3, 1, 2});
  EXPECT_EQ(odd.mean, 2);
  EXPECT_EQ(odd.median, 2);
  EXPECT_EQ(odd.deviation, 1);
  Spread even = spread_of({4, 1, 2, 3});
  EXPECT_EQ(even.median, 2.5);
  EXPECT_EQ(even.min, 1);
  EXPECT_EQ(even.max, 4);
  EXPECT_EQ(spread_of({7}).deviation, 0);
}

}  // namespace
}  // namespace hyalite
