#include "base/clock.h"

#include <gtest/gtest.h>

namespace hyalite {
namespace {

TEST(Clock, SteadyClockNeverGoesBack) {
  const SteadyClock clock;
  const auto first = clock.now();
  EXPECT_GE(clock.now(), first);
}

TEST(Clock, ManualClockMovesOnlyWhenTold) {
  ManualClock clock;
  EXPECT_EQ(clock.now().count(), 0);
  clock.advance(std::chrono::microseconds(3));
  EXPECT_EQ(clock.now(), std::chrono::nanoseconds(3000));
}

}  // namespace
}  // namespace hyalite
