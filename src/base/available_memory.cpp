#include "base/available_memory.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string>

namespace hyalite {
namespace {

size_t of_machine() {
  std::ifstream file("/proc/meminfo");
  for (std::string word; file >> word;)
    if (size_t kib = 0; word == "MemAvailable:" && file >> kib) return kib * 1024;
  return SIZE_MAX;
}

// What the group uses is mostly page cache, which gives way, so that only the limit counts. Without one the file holds the word "max".
size_t limit_of_group() {
  std::ifstream file("/sys/fs/cgroup/memory.max");
  size_t bytes = 0;
  return file >> bytes ? bytes : SIZE_MAX;
}

}  // namespace

size_t available_memory() {
  return std::min(of_machine(), limit_of_group());
}

}  // namespace hyalite
