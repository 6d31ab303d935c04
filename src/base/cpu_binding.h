// Which CPUs the threads of a process go to, and binding threads to them.
#pragma once

#include <thread>
#include <vector>

#include "base/topology.h"

namespace hyalite {

// OS numbers of the CPUs in `allowed`, in the order in which to fill them: the first hardware thread of every core, then the second of
// each. The cores of one NUMA node stand together, those of the node with most of them first, so that few threads share one node's memory.
// REQUIRES: the topology was loaded with cores.
std::vector<int> fill_order(hwloc_topology_t topology, hwloc_const_bitmap_t allowed);

// The same of this machine and the calling thread's affinity mask; empty where the OS does not tell. Always the same for the same mask:
// memory that one pool's threads have touched is as near to the next pool's.
std::vector<int> cpus_to_fill();

// Binds `thread` to one CPU; false where the OS refuses, which costs speed only.
bool bind_thread(std::thread& thread, int cpu);

}  // namespace hyalite
