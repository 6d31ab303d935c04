// The machine as hwloc sees it, for the few sources that ask about CPUs, caches and NUMA nodes.
#pragma once

#include <hwloc.h>

#include <initializer_list>
#include <memory>
#include <type_traits>

namespace hyalite {

using Topology = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, decltype(&hwloc_topology_destroy)>;
using CpuSet = std::unique_ptr<hwloc_bitmap_s, decltype(&hwloc_bitmap_free)>;

// CPUs, NUMA nodes and objects of `types` of this machine, or of one that hwloc makes up from its `synthetic` description, such as
// "numa:2 core:4 pu:2". Null where hwloc cannot.
Topology load_topology(std::initializer_list<hwloc_obj_type_t> types, const char* synthetic = nullptr);

// The affinity mask of the calling thread, which a control group's cpuset bounds. Null where the OS does not tell.
CpuSet affinity_mask(hwloc_topology_t topology);

// Objects of a type that `cpus` touch.
int count_of(hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_const_bitmap_t cpus);

}  // namespace hyalite
