#include "cli/step_report.h"

#include <gtest/gtest.h>

namespace hyalite {
namespace {

TEST(StepReport, BarriersThatWouldTakeMoreThanTheStepHaveNoShare) {
  const auto line = [](double ns, double share) {
    return barrier_line({{"ns", ns}, {"decode_per_step", 47}, {"decode_us", 47 * ns / 1e3}, {"decode_share", share}});
  };
  EXPECT_EQ(line(1500, 0.0254), "47 barriers a decode step at 1.50 us each, timed apart: 2.5% of it\n");
  EXPECT_EQ(line(90810, 1.205), "47 barriers a decode step at 90.81 us each, timed apart\n");
}

}  // namespace
}  // namespace hyalite
