// A read-only memory map of a whole file. A file that another process shrinks while it is mapped would kill us with a bare SIGBUS:
// install_map_fault_handler() turns that into one line naming the file and exit code 3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace hyalite {

class MappedFile {
 public:
  // The fault handler has a slot for each map, empty ones aside: beyond these it could not name the file.
  static constexpr int kMost = 1024;

  // Maps `path`. Errors: Error{invalid_model} where it does not exist, is not a regular file or cannot be read; Error{unsupported} where
  // kMost files are mapped. An empty file maps to an empty span.
  static std::shared_ptr<MappedFile> open(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::span<const uint8_t> bytes() const { return {data_, size_}; }

  // Tells the kernel that a range is not needed again: its pages leave this process's resident set; reading it again is still right, only
  // slower. Any thread. Whoever reads a page may have a whole folio of the page cache mapped around it, so all of those leave as well.
  void release(size_t offset, size_t size) const;

 private:
  MappedFile(std::filesystem::path path, const uint8_t* data, size_t size, int slot);

  std::filesystem::path path_;
  const uint8_t* data_;
  size_t size_;
  int slot_;  // in the table the fault handler reads
};

// Once, from main(); a library never installs signal handlers by itself.
void install_map_fault_handler();

}  // namespace hyalite
