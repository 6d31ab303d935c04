#include "base/cpu_quota.h"

#include <gtest/gtest.h>

namespace hyalite {
namespace {

TEST(CpuQuota, IsTheShareOfAPeriodRoundedDown) {
  EXPECT_EQ(cpus_of_quota("200000 100000"), 2);
  EXPECT_EQ(cpus_of_quota("350000 100000\n"), 3);
  EXPECT_EQ(cpus_of_quota("20000 100000"), 1) << "no process runs on none";
}

TEST(CpuQuota, IsLargeWithoutALimit) {
  for (const char* text : {"max 100000", "", "0 0", "-1 100000", "100000"}) EXPECT_GT(cpus_of_quota(text), 1 << 20) << text;
}

TEST(CpuQuota, OfThisProcessIsAtLeastOne) {
  EXPECT_GE(cpu_quota(), 1);
}

}  // namespace
}  // namespace hyalite
