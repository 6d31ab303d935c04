// A file that appears whole or not at all, even where the machine fails: written under a temporary name beside its place, brought to the
// disk, then renamed.
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
  // REQUIRES: all bytes are written, of both.
  void commit();
  void commit_unsynced();  // does not wait for the disk: for a file of a whole that is waited for at once

 private:
  void put_in_place(bool synced);
  [[noreturn]] void fail(const char* what, int error) const;

  std::filesystem::path path_, temporary_;
  uint64_t bytes_, written_ = 0;
  int file_ = -1;
};

// Replaces a regular file that is there. Throws Error{io} naming `path`; nothing is left behind then.
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

// Waits until a new name in this directory is on the disk. Not every file system can, nor may every user: the name is in its place anyway.
void sync_directory(const std::filesystem::path& directory);

}  // namespace hyalite
