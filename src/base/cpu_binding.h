// Which CPUs a process may use, and binding threads to them (hwloc). Kept apart from the pool so that only one source sees hwloc.
#pragma once

#include <thread>
#include <vector>

namespace hyalite {

// OS numbers of the CPUs in the calling thread's affinity mask, in the order in which to fill them: the first hardware thread of every
// core, then the second of each. Empty where the OS does not tell.
std::vector<int> cpus_to_fill();

// Binds `thread` to one CPU; false where the OS refuses, which costs speed only.
bool bind_thread(std::thread& thread, int cpu);

}  // namespace hyalite
