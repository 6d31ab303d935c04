#include "base/cpu_binding.h"

#include <gtest/gtest.h>

namespace hyalite {
namespace {

// The order on a machine of this description, of the CPUs in `allowed` ("0-3,8"; hwloc's list format), or of all.
std::vector<int> order_on(const char* machine, const char* allowed = nullptr) {
  const Topology topology = load_topology({HWLOC_OBJ_CORE}, machine);
  if (!topology) return {};
  const CpuSet cpus(hwloc_bitmap_alloc(), hwloc_bitmap_free);
  if (allowed)
    hwloc_bitmap_list_sscanf(cpus.get(), allowed);
  else
    hwloc_bitmap_copy(cpus.get(), hwloc_topology_get_topology_cpuset(topology.get()));
  return fill_order(topology.get(), cpus.get());
}

using Order = std::vector<int>;

TEST(FillOrder, OneThreadACoreBeforeAnyShares) {
  EXPECT_EQ(order_on("core:3 pu:2"), (Order{0, 2, 4, 1, 3, 5}));
  EXPECT_EQ(order_on("core:1 pu:4"), (Order{0, 1, 2, 3}));
  EXPECT_EQ(order_on("pu:3"), (Order{0, 1, 2})) << "without cores each CPU is one";
}

TEST(FillOrder, CoresOfOneNodeStandTogether) {
  EXPECT_EQ(order_on("numa:2 core:4 pu:2"), (Order{0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15}));
  EXPECT_EQ(order_on("package:2 numa:2 core:2 pu:1"), (Order{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(FillOrder, FollowsTheHardwareNotTheNumbersOfTheCpus) {
  // As many servers count: even CPUs on the first node, odd ones on the second.
  EXPECT_EQ(order_on("numa:2 core:2 pu:1(indexes=0,2,1,3)"), (Order{0, 2, 1, 3}));
  // First hardware threads 0-3, second ones 4-7.
  EXPECT_EQ(order_on("numa:2 core:2 pu:2(indexes=0,4,1,5,2,6,3,7)"), (Order{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(FillOrder, StaysInsideTheMask) {
  EXPECT_EQ(order_on("numa:2 core:4 pu:2", "8-15"), (Order{8, 10, 12, 14, 9, 11, 13, 15}));
  EXPECT_EQ(order_on("numa:2 core:4 pu:2", "3,5"), (Order{3, 5})) << "second hardware threads whose first ones are not ours";
  EXPECT_EQ(order_on("numa:2 core:4 pu:2", "40"), Order{});
}

TEST(FillOrder, BeginsWhereMostCoresAre) {
  EXPECT_EQ(order_on("numa:2 core:4 pu:2", "0-1,8-13"), (Order{8, 10, 12, 0, 9, 11, 13, 1}));
  EXPECT_EQ(order_on("numa:2 core:4 pu:2", "0-3,8,10,12"), (Order{8, 10, 12, 0, 2, 1, 3})) << "cores count, not their threads";
}

TEST(FillOrder, GivesMachinesWithoutCpusOrSenseNothing) {
  EXPECT_EQ(order_on("numa:2 core:"), Order{});
}

TEST(FillOrder, OfThisMachineIsThatOfTheMask) {
  const Order cpus = cpus_to_fill();
  EXPECT_FALSE(cpus.empty());
  EXPECT_EQ(cpus, cpus_to_fill());
}

}  // namespace
}  // namespace hyalite
