// Names for what is written beside its place before it is renamed. A process that was killed leaves its own behind, and in a container the
// next process may have the same id; so a name that is taken is never used.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <functional>
#include <string>

namespace hyalite {

// Calls make(path) with one name after another beside `target` until it succeeds, and returns the path; empty where it failed for another
// reason than EEXIST. REQUIRES: `make` creates what was not there, or returns false with errno set.
inline std::filesystem::path make_beside(const std::filesystem::path& target, const char* kind,
                                         const std::function<bool(const std::filesystem::path&)>& make) {
  const std::string stem = target.string() + '.' + kind + '-' + std::to_string(getpid());
  for (int i = 0;; ++i) {
    std::filesystem::path path = i ? stem + '-' + std::to_string(i) : stem;
    if (make(path)) return path;
    if (errno != EEXIST) return {};
  }
}

}  // namespace hyalite
