#include "base/atomic_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/temporary_name.h"

namespace hyalite {
namespace fs = std::filesystem;

AtomicFile::AtomicFile(fs::path path, uint64_t bytes) : path_(std::move(path)), bytes_(bytes) {
  std::error_code error;
  if (fs::exists(path_, error) && !fs::is_regular_file(path_, error))  // a rename would put a file in the place of a device
    throw Error(ErrorCode::io, path_.string(), "cannot write: what is there is no regular file");
  temporary_ = make_beside(path_, "partial", [&](const fs::path& name) {
    file_ = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    return file_ >= 0;
  });
  if (file_ < 0) fail("cannot write", errno);
  const int refused = bytes ? posix_fallocate(file_, 0, static_cast<off_t>(bytes)) : 0;
  if (refused && refused != EOPNOTSUPP && refused != EINVAL) {  // a file system that cannot reserve finds out when written
    close(file_);
    fs::remove(temporary_, error);
    fail(("cannot take " + std::to_string(bytes) + " bytes").c_str(), refused);
  }
}

AtomicFile::~AtomicFile() {
  if (file_ < 0) return;
  close(file_);
  std::error_code ignored;
  fs::remove(temporary_, ignored);
}

void AtomicFile::fail(const char* what, int error) const {
  throw Error(ErrorCode::io, path_.string(), std::string(what) + ": " + std::strerror(error));
}

void AtomicFile::write(std::span<const uint8_t> bytes) {
  HYALITE_CHECK(written_ + bytes.size() <= bytes_, path_.string());
  while (!bytes.empty()) {
    const ssize_t count = ::write(file_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("cannot write", errno);
    written_ += static_cast<uint64_t>(count);
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
}

void AtomicFile::commit() {
  put_in_place(true);
  sync_directory(path_.parent_path());
}

void AtomicFile::commit_unsynced() {
  put_in_place(false);
}

void AtomicFile::put_in_place(bool synced) {
  HYALITE_CHECK(written_ == bytes_ && file_ >= 0, path_.string());
  const int file = std::exchange(file_, -1);
  std::error_code error;
  if (synced && fsync(file) != 0 && errno != EINVAL) error.assign(errno, std::generic_category());
  if (close(file) != 0 && !error) error.assign(errno, std::generic_category());
  if (!error) fs::rename(temporary_, path_, error);
  if (!error) return;
  const std::string why = error.message();
  fs::remove(temporary_, error);
  throw Error(ErrorCode::io, path_.string(), "cannot move the finished file into place: " + why);
}

void write_file_atomically(const fs::path& path, std::string_view bytes) {
  AtomicFile file(path, bytes.size());
  file.write({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
  file.commit();
}

void sync_directory(const fs::path& directory) {
  const int opened = open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened < 0) return;
  fsync(opened);
  close(opened);
}

}  // namespace hyalite
