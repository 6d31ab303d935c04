#include "base/text_util.h"

#include <gtest/gtest.h>

namespace hyalite {
namespace {

TEST(HumanBytes, KeepsThreeDigits) {
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(1023), "1023 B");
  EXPECT_EQ(human_bytes(1024), "1.00 KiB");
  EXPECT_EQ(human_bytes(1536), "1.50 KiB");
  EXPECT_EQ(human_bytes(10 * 1024 + 512), "10.5 KiB");
  EXPECT_EQ(human_bytes(uint64_t{144811680}), "138 MiB");
  EXPECT_EQ(human_bytes(uint64_t{1} << 30), "1.00 GiB");
}

TEST(HumanBytes, ReachesTheLargestNumber) {
  EXPECT_EQ(human_bytes(UINT64_MAX), "16.0 EiB");
}

}  // namespace
}  // namespace hyalite
