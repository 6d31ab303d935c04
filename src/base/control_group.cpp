#include "base/control_group.h"

#include <fstream>

namespace hyalite {
namespace {

// "/user.slice/a.service" where /proc/self/cgroup has the line "0::/user.slice/a.service"; empty at the top.
std::string own_group(const std::string& root) {
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("0::/")) return line.size() == 4 ? "" : line.substr(3);
  return "";
}

}  // namespace

std::vector<std::string> control_group_lines(const std::string& name, const std::string& root) {
  std::vector<std::string> lines;
  for (std::string group = own_group(root);; group.resize(group.rfind('/'))) {
    std::ifstream file(root + "/sys/fs/cgroup" + group + '/' + name);
    if (std::string line; std::getline(file, line)) lines.push_back(std::move(line));
    if (group.empty()) return lines;
  }
}

}  // namespace hyalite
