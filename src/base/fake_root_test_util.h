// A folder that stands for the root of a file system in tests of what is read of /proc and /sys.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <utility>

namespace hyalite {

class FakeRoot {
 public:
  // Files as {path without a slash before it, content}. The folder goes with this object.
  FakeRoot(std::initializer_list<std::pair<const char*, std::string>> files)
      : path_((std::filesystem::temp_directory_path() / "hyalite-root-XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("mkdtemp");
    for (const auto& [name, content] : files) {
      const std::filesystem::path file = std::filesystem::path(path_) / name;
      std::filesystem::create_directories(file.parent_path());
      std::ofstream(file) << content;
    }
  }
  ~FakeRoot() { std::filesystem::remove_all(path_); }
  FakeRoot(const FakeRoot&) = delete;
  FakeRoot& operator=(const FakeRoot&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace hyalite
