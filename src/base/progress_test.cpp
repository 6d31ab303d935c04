#include "base/progress.h"

#include <gtest/gtest.h>

#include <sstream>

namespace hyalite {
namespace {

using std::chrono::milliseconds;

TEST(Progress, PrintsNothingWhereItIsNotShown) {
  ManualClock clock;
  std::ostringstream out;
  {
    Progress progress("load", 10, out, clock);
    progress.advance(5);
  }
  EXPECT_EQ(out.str(), "");
}

TEST(Progress, DrawsItsShareAndWipesTheLine) {
  ManualClock clock;
  std::ostringstream out;
  {
    Progress progress("load", 8, out, clock, {.shown = true, .columns = 23});
    progress.advance(4);
    EXPECT_EQ(out.str(), "\rload [=====     ]  50%");
  }
  EXPECT_EQ(out.str(), "\rload [=====     ]  50%\r" + std::string(22, ' ') + "\r");
}

TEST(Progress, RedrawsAtMostTenTimesASecond) {
  ManualClock clock;
  std::ostringstream out;
  Progress progress("x", 1000, out, clock, {.shown = true});
  for (int i = 0; i < 1000; ++i) {
    progress.advance(1);
    clock.advance(milliseconds(1));
  }
  const std::string text = out.str();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\r'), 10);
}

TEST(Progress, StopsAtAHundredPercent) {
  ManualClock clock;
  std::ostringstream out;
  Progress progress("x", 2, out, clock, {.shown = true});
  progress.advance(5);
  EXPECT_NE(out.str().find("100%"), std::string::npos);
}

}  // namespace
}  // namespace hyalite
