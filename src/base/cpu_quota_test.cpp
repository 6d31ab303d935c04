#include "base/cpu_quota.h"

#include <gtest/gtest.h>

#include "base/fake_root_test_util.h"

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

TEST(CpuQuota, IsTheLeastOfTheOwnGroupAndThoseAbove) {
  const FakeRoot root({{"proc/self/cgroup", "0::/a/b\n"},
                       {"sys/fs/cgroup/a/b/cpu.max", "800000 100000\n"},
                       {"sys/fs/cgroup/a/cpu.max", "300000 100000\n"},
                       {"sys/fs/cgroup/cpu.max", "max 100000\n"}});
  EXPECT_EQ(cpu_quota(root.path()), 3);
}

}  // namespace
}  // namespace hyalite
