#include "base/atomic_directory.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/temporary_name.h"

namespace hyalite {
namespace fs = std::filesystem;

namespace {

fs::path make_directory_beside(const fs::path& target, const char* kind) {
  fs::path made = make_beside(target, kind, [](const fs::path& path) { return mkdir(path.c_str(), 0777) == 0; });
  if (made.empty()) throw Error(ErrorCode::io, target.string(), std::string("cannot make a directory beside it: ") + std::strerror(errno));
  return made;
}

// For file systems that cannot exchange names: between the renames there is nothing at the target.
std::error_code replace_in_two_steps(const fs::path& made, const fs::path& target) {
  std::error_code error, ignored;
  const fs::path away = make_directory_beside(target, "old");
  fs::rename(target, away / "old", error);
  if (!error) fs::rename(made, target, error);
  if (!error) {
    fs::remove_all(away, ignored);
    return error;
  }
  if (!fs::exists(target, ignored)) fs::rename(away / "old", target, ignored);
  fs::remove(away, ignored);
  return error;
}

}  // namespace

bool holds_only(const fs::path& directory, std::span<const char* const> patterns) {
  std::error_code error;
  for (fs::recursive_directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
    if (fs::is_directory(entry->symlink_status())) continue;
    const std::string path = entry->path().lexically_relative(directory).string();
    const auto fits = [&](const char* pattern) { return fnmatch(pattern, path.c_str(), FNM_PATHNAME) == 0; };
    if (std::ranges::none_of(patterns, fits)) return false;
  }
  return !error;
}

AtomicDirectory::AtomicDirectory(fs::path target, std::function<bool(const fs::path&)> replaceable)
    : target_(std::move(target)), replaceable_(std::move(replaceable)) {
  if (target_.empty()) throw Error(ErrorCode::invalid_argument, "output directory", "is empty");
  if (target_.filename().empty()) target_ = target_.parent_path();
  check_replaceable();
  std::error_code error;
  if (target_.has_parent_path()) fs::create_directories(target_.parent_path(), error);
  if (error) throw Error(ErrorCode::io, target_.parent_path().string(), "cannot make the directory: " + error.message());
  temporary_ = make_directory_beside(target_, "partial");
}

void AtomicDirectory::check_replaceable() const {
  std::error_code error;
  if (fs::exists(target_, error) && !(fs::is_directory(target_, error) && (fs::is_empty(target_, error) || replaceable_(target_))))
    throw Error(ErrorCode::invalid_argument, target_.string(), "is there already and is nothing that may be replaced");
}

AtomicDirectory::~AtomicDirectory() {
  std::error_code ignored;
  if (!committed_) fs::remove_all(temporary_, ignored);
}

void AtomicDirectory::write(const fs::path& relative, std::string_view bytes) const {
  fs::path path = temporary_ / relative;
  make_folder(relative.parent_path());
  AtomicFile file(path, bytes.size());  // which says why it could not
  file.write({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
  file.commit_unsynced();
}

void AtomicDirectory::make_folder(const fs::path& relative) const {
  std::error_code error;
  fs::create_directories(temporary_ / relative, error);
  if (error) throw Error(ErrorCode::io, (temporary_ / relative).string(), "cannot make the directory: " + error.message());
}

void AtomicDirectory::commit() {
  check_replaceable();  // it may have changed since
  sync_file_system();
  std::error_code error, ignored;
  if (!fs::exists(target_, error))
    fs::rename(temporary_, target_, error);
  else if (renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) != 0)
    error = replace_in_two_steps(temporary_, target_);
  if (error) throw Error(ErrorCode::io, target_.string(), "cannot move the finished directory into place: " + error.message());
  committed_ = true;
  sync_directory(target_.parent_path());
  fs::remove_all(temporary_, ignored);  // which now holds what was replaced
}

// All files at once: waiting for each of them takes a hundred times as long.
void AtomicDirectory::sync_file_system() const {
  const int directory = open(temporary_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool synced = directory >= 0 && syncfs(directory) == 0;
  const int error = errno;
  if (directory >= 0) close(directory);
  if (!synced) throw Error(ErrorCode::io, target_.string(), std::string("cannot be brought to the disk: ") + std::strerror(error));
}

}  // namespace hyalite
