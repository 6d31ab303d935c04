#include "base/control_group.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/fake_root_test_util.h"

namespace hyalite {
namespace {

using Lines = std::vector<std::string>;

TEST(ControlGroup, AsksTheOwnGroupAndAllAboveIt) {
  const FakeRoot root({{"proc/self/cgroup", "4:memory:/old\n0::/user.slice/a.service\n"},
                       {"sys/fs/cgroup/user.slice/a.service/cpu.max", "200000 100000\n"},
                       {"sys/fs/cgroup/user.slice/cpu.max", "max 100000\n"},
                       {"sys/fs/cgroup/user.slice/b.service/cpu.max", "100000 100000\n"}});
  EXPECT_EQ(control_group_lines("cpu.max", root.path()), (Lines{"200000 100000", "max 100000"}));
  EXPECT_EQ(control_group_lines("memory.max", root.path()), Lines{});
}

TEST(ControlGroup, AtTheTopOrUnknownIsTheTop) {
  for (const char* membership : {"0::/\n", "", "4:memory:/old\n"}) {
    const FakeRoot root({{"proc/self/cgroup", membership}, {"sys/fs/cgroup/memory.max", "4096\n"}});
    EXPECT_EQ(control_group_lines("memory.max", root.path()), Lines{"4096"}) << membership;
  }
}

}  // namespace
}  // namespace hyalite
