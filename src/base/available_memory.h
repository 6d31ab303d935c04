// Memory that can still be had without another process being killed for it.
#pragma once

#include <cstddef>

namespace hyalite {

// Bytes: MemAvailable of /proc/meminfo (proc(5)), and no more than the limit of the process's cgroup; SIZE_MAX where neither can be read.
size_t available_memory();

}  // namespace hyalite
