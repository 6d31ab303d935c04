#include "base/largest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace hyalite {
namespace {

TEST(Largest, FindsTheFirstOfEquals) {
  std::mt19937 random(1);
  for (size_t count : {1, 15, 1024, 1025, 5000}) {
    std::vector<float> values(count);
    for (int round = 0; round < 50; ++round) {
      for (float& value : values) value = static_cast<float>(static_cast<int>(random() % 2000)) - 1500;
      EXPECT_EQ(index_of_largest(values), std::ranges::max_element(values) - values.begin()) << count;
    }
  }
}

TEST(Largest, PassesOverNaN) {
  std::vector<float> values(3000, NAN);
  EXPECT_EQ(index_of_largest(values), 0);
  values[2999] = -INFINITY;
  EXPECT_EQ(index_of_largest(values), 2999);
  values[1500] = -3;
  EXPECT_EQ(index_of_largest(values), 1500);
  values[7] = INFINITY;
  EXPECT_EQ(index_of_largest(values), 7);
}

TEST(Largest, FindsNaNAnywhere) {
  for (size_t count : {1, 15, 1024, 1025, 3000}) {
    std::vector<float> values(count, INFINITY);
    values[count / 2] = -INFINITY;
    EXPECT_FALSE(any_nan(values));
    for (size_t at = 0; at < count; ++at) {
      std::vector<float> with = values;
      with[at] = NAN;
      EXPECT_TRUE(any_nan(with)) << at << " of " << count;
    }
  }
}

TEST(Largest, OfNothingIsZero) {
  EXPECT_EQ(index_of_largest({}), 0);
}

}  // namespace
}  // namespace hyalite
