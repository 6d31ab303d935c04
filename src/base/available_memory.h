// Memory that can still be had without another process being killed for it.
#pragma once

#include <cstddef>
#include <string>

namespace hyalite {

// Bytes: MemAvailable of /proc/meminfo (proc(5)), and no more than the limits of the process's control group and the groups above it
// (cgroup v2, memory.max); SIZE_MAX where none can be read. `root` is put before /proc and /sys, for tests.
size_t available_memory(const std::string& root = "");

}  // namespace hyalite
