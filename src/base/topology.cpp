#include "base/topology.h"

namespace hyalite {

Topology load_topology(std::initializer_list<hwloc_obj_type_t> types, const char* synthetic) {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return {nullptr, hwloc_topology_destroy};
  Topology topology(raw, hwloc_topology_destroy);
  if (synthetic && hwloc_topology_set_synthetic(raw, synthetic) != 0) return {nullptr, hwloc_topology_destroy};
  hwloc_topology_set_all_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_NONE);
  // Without groups, in which hwloc puts CPUs and their memory together, every CPU would belong to every NUMA node.
  hwloc_topology_set_type_filter(raw, HWLOC_OBJ_GROUP, HWLOC_TYPE_FILTER_KEEP_STRUCTURE);
  for (const hwloc_obj_type_t type : types) hwloc_topology_set_type_filter(raw, type, HWLOC_TYPE_FILTER_KEEP_ALL);
  if (hwloc_topology_load(raw) != 0) return {nullptr, hwloc_topology_destroy};
  return topology;
}

CpuSet affinity_mask(hwloc_topology_t topology) {
  CpuSet mask(hwloc_bitmap_alloc(), hwloc_bitmap_free);
  if (!mask || hwloc_get_cpubind(topology, mask.get(), HWLOC_CPUBIND_THREAD) != 0) return {nullptr, hwloc_bitmap_free};
  return mask;
}

int count_of(hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_const_bitmap_t cpus) {
  int count = 0;
  for (hwloc_obj_t object = nullptr; (object = hwloc_get_next_obj_by_type(topology, type, object)) != nullptr;)
    if (hwloc_bitmap_intersects(object->cpuset, cpus)) ++count;
  return count;
}

}  // namespace hyalite
