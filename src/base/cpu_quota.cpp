#include "base/cpu_quota.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>

namespace hyalite {
namespace {

constexpr int kNoLimit = std::numeric_limits<int>::max();

// "/user.slice/a.service" where /proc/self/cgroup has the line "0::/user.slice/a.service"; empty at the top.
std::string own_group() {
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("0::/")) return line.size() == 4 ? "" : line.substr(3);
  return "";
}

int quota_of(const std::string& group) {
  std::ifstream file("/sys/fs/cgroup" + group + "/cpu.max");
  std::string text;
  return std::getline(file, text) ? cpus_of_quota(text) : kNoLimit;
}

}  // namespace

int cpus_of_quota(std::string_view text) {
  std::istringstream words{std::string(text)};
  double granted = 0, period = 0;
  if (!(words >> granted >> period) || granted <= 0 || period <= 0) return kNoLimit;
  return static_cast<int>(std::clamp(granted / period, 1.0, 1e6));
}

int cpu_quota() {
  int least = kNoLimit;
  for (std::string group = own_group();; group.resize(group.rfind('/'))) {
    least = std::min(least, quota_of(group));
    if (group.empty()) return least;
  }
}

}  // namespace hyalite
