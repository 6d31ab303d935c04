#include "device/thread_remark.h"

#include <gtest/gtest.h>

namespace hyalite {
namespace {

TEST(ThreadRemark, TellsOfMoreThreadsThanCores) {
  const Machine machine{.cores = 4, .cpus = 8};
  EXPECT_EQ(remark_on_threads(1, machine), "");
  EXPECT_EQ(remark_on_threads(4, machine), "");
  EXPECT_EQ(remark_on_threads(5, machine), "5 threads share the 4 cores that this process may use: seldom faster than 4 threads");
  EXPECT_EQ(remark_on_threads(8, machine), "8 threads share the 4 cores that this process may use: seldom faster than 4 threads");
  EXPECT_EQ(remark_on_threads(9, machine), "9 threads take turns on the 8 CPUs that this process may use: slower than 4 threads");
  EXPECT_EQ(remark_on_threads(2, {.cores = 1, .cpus = 1}),
            "2 threads take turns on the 1 CPU that this process may use: slower than 1 thread");
}

}  // namespace
}  // namespace hyalite
