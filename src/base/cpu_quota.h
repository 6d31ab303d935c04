// How much CPU time the control group of a process grants, as containers limit it: not which CPUs, but how many at once on average.
#pragma once

#include <string>
#include <string_view>

namespace hyalite {

// CPUs that can run all the time under the quotas of this process's control group and the groups above it (cgroup v2, cpu.max), rounded
// down but at least 1; a large number where there is no limit or none can be read. `root` is put before /proc and /sys, for tests.
int cpu_quota(const std::string& root = "");

// The same of the text of one cpu.max: "200000 100000" (microseconds in each period) is 2, "max 100000" no limit.
int cpus_of_quota(std::string_view text);

}  // namespace hyalite
