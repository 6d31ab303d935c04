#include "base/available_memory.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>

#include "base/control_group.h"

namespace hyalite {
namespace {

size_t of_machine(const std::string& root) {
  std::ifstream file(root + "/proc/meminfo");
  for (std::string word; file >> word;)
    if (size_t kib = 0; word == "MemAvailable:" && file >> kib) return kib * 1024;
  return SIZE_MAX;
}

// What a group uses is mostly page cache, which gives way, so that only the limit counts. Without one its file holds the word "max".
size_t limit_from(const std::string& line) {
  size_t bytes = 0;
  return std::from_chars(line.data(), line.data() + line.size(), bytes).ec == std::errc() ? bytes : SIZE_MAX;
}

}  // namespace

size_t available_memory(const std::string& root) {
  size_t least = of_machine(root);
  for (const std::string& line : control_group_lines("memory.max", root)) least = std::min(least, limit_from(line));
  return least;
}

}  // namespace hyalite
