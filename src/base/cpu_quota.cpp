#include "base/cpu_quota.h"

#include <algorithm>
#include <limits>
#include <sstream>
#include <string>

#include "base/control_group.h"

namespace hyalite {
namespace {

constexpr int kNoLimit = std::numeric_limits<int>::max();

}  // namespace

int cpus_of_quota(std::string_view text) {
  std::istringstream words{std::string(text)};
  double granted = 0, period = 0;
  if (!(words >> granted >> period) || granted <= 0 || period <= 0) return kNoLimit;
  return static_cast<int>(std::clamp(granted / period, 1.0, 1e6));
}

int cpu_quota(const std::string& root) {
  int least = kNoLimit;
  for (const std::string& line : control_group_lines("cpu.max", root)) least = std::min(least, cpus_of_quota(line));
  return least;
}

}  // namespace hyalite
