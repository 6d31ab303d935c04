// The control groups (cgroup v2) that limit this process, as containers and services do.
#pragma once

#include <string>
#include <vector>

namespace hyalite {

// The first line of the file `name`, such as "cpu.max", in the group of this process and in each group above it, whose limits hold as well:
// innermost first, without groups that have no such file. `root` is put before /proc and /sys, for tests that have a tree of their own.
std::vector<std::string> control_group_lines(const std::string& name, const std::string& root = "");

}  // namespace hyalite
