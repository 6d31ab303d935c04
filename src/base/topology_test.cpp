#include "base/topology.h"

#include <gtest/gtest.h>

namespace hyalite {
namespace {

struct Counts {
  int cpus, cores, nodes;
  bool operator==(const Counts&) const = default;
};

Counts counts_on(const char* machine, const char* list) {
  const Topology topology = load_topology({HWLOC_OBJ_CORE}, machine);
  const CpuSet cpus(hwloc_bitmap_alloc(), hwloc_bitmap_free);
  hwloc_bitmap_list_sscanf(cpus.get(), list);
  const auto count = [&](hwloc_obj_type_t type) { return count_of(topology.get(), type, cpus.get()); };
  return {count(HWLOC_OBJ_PU), count(HWLOC_OBJ_CORE), count(HWLOC_OBJ_NUMANODE)};
}

TEST(Topology, CountsWhatAMaskTouches) {
  EXPECT_EQ(counts_on("numa:2 core:4 pu:2", "0-15"), (Counts{16, 8, 2}));
  EXPECT_EQ(counts_on("numa:2 core:4 pu:2", "8-11"), (Counts{4, 2, 1}));
  EXPECT_EQ(counts_on("numa:2 core:4 pu:2", "7,8"), (Counts{2, 2, 2}));
  EXPECT_EQ(counts_on("package:2 numa:2 core:2 pu:1", "2-7"), (Counts{6, 6, 3}));
}

TEST(Topology, IsNullWhereTheDescriptionMakesNoSense) {
  EXPECT_EQ(load_topology({HWLOC_OBJ_CORE}, "core:"), nullptr);
}

TEST(Topology, OfThisMachineHoldsTheAffinityMask) {
  const Topology topology = load_topology({});
  ASSERT_NE(topology, nullptr);
  const CpuSet mask = affinity_mask(topology.get());
  ASSERT_NE(mask, nullptr);
  EXPECT_GE(count_of(topology.get(), HWLOC_OBJ_PU, mask.get()), 1);
}

}  // namespace
}  // namespace hyalite
