#include "base/available_memory.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace hyalite {
namespace {

TEST(AvailableMemory, IsSomeOfTheMachines) {
  const auto all = static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGESIZE));
  EXPECT_GT(available_memory(), size_t{1} << 20);
  EXPECT_LE(available_memory(), all);
}

}  // namespace
}  // namespace hyalite
