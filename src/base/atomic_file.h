// A file that appears whole or not at all: written under a temporary name beside its place, then renamed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

namespace hyalite {

// A file whose size is known, written in order. Its room on the disk is taken at once, so that a full disk is told before the work.
// All errors are Error{io} naming `path`, and leave nothing behind.
class AtomicFile {
 public:
  // Replaces a regular file that is there when it is committed.
  AtomicFile(std::filesystem::path path, uint64_t bytes);
  ~AtomicFile();  // removes what was written, unless committed
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::span<const uint8_t> bytes);
  uint64_t written() const { return written_; }
  void commit();  // REQUIRES: all bytes are written

 private:
  [[noreturn]] void fail(const char* what, int error) const;

  std::filesystem::path path_, temporary_;
  uint64_t bytes_, written_ = 0;
  int file_ = -1;
};

// Replaces a regular file that is there. Throws Error{io} naming `path`; nothing is left behind then.
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

}  // namespace hyalite
