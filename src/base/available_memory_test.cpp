#include "base/available_memory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#include "base/fake_root_test_util.h"

namespace hyalite {
namespace {

constexpr const char* kMeminfo = "MemTotal:       16000000 kB\nMemFree:         1000000 kB\nMemAvailable:    8000000 kB\n";
constexpr size_t kAvailable = size_t{8'000'000} * 1024;

// With a group "/a/b" whose limits, from its own up to the top's, are these.
size_t with_limits(const std::string& own, const std::string& above, const std::string& top) {
  return available_memory(FakeRoot({{"proc/meminfo", kMeminfo},
                                    {"proc/self/cgroup", "0::/a/b\n"},
                                    {"sys/fs/cgroup/a/b/memory.max", own},
                                    {"sys/fs/cgroup/a/memory.max", above},
                                    {"sys/fs/cgroup/memory.max", top}})
                              .path());
}

TEST(AvailableMemory, IsSomeOfTheMachines) {
  const auto all = static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGESIZE));
  EXPECT_GT(available_memory(), size_t{1} << 20);
  EXPECT_LE(available_memory(), all);
}

TEST(AvailableMemory, IsWhatTheSystemSaysWithoutALowerLimit) {
  EXPECT_EQ(with_limits("max\n", "max\n", "max\n"), kAvailable);
  EXPECT_EQ(with_limits("9000000000\n", "", "max\n"), kAvailable);
  EXPECT_EQ(available_memory(FakeRoot({{"proc/meminfo", kMeminfo}}).path()), kAvailable);
}

TEST(AvailableMemory, IsTheLeastLimitOfTheOwnGroupAndThoseAbove) {
  EXPECT_EQ(with_limits("1073741824\n", "2147483648\n", "max\n"), size_t{1} << 30);
  EXPECT_EQ(with_limits("max\n", "2147483648\n", "4294967296\n"), size_t{2} << 30);
  EXPECT_EQ(with_limits("max\n", "max\n", "4294967296\n"), size_t{4} << 30);
}

TEST(AvailableMemory, IsBoundlessWhereNothingCanBeRead) {
  EXPECT_EQ(available_memory(FakeRoot({}).path()), SIZE_MAX);
}

}  // namespace
}  // namespace hyalite
