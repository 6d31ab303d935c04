#include "base/atomic_directory.h"

#include <unistd.h>

#include <fstream>

#include "base/error.h"

namespace hyalite {
namespace fs = std::filesystem;

AtomicDirectory::AtomicDirectory(fs::path target, const std::function<bool(const fs::path&)>& replaceable) : target_(std::move(target)) {
  if (target_.empty()) throw Error(ErrorCode::invalid_argument, "output directory", "is empty");
  if (target_.filename().empty()) target_ = target_.parent_path();
  std::error_code error;
  if (fs::exists(target_, error) && !(fs::is_directory(target_, error) && (fs::is_empty(target_, error) || replaceable(target_))))
    throw Error(ErrorCode::invalid_argument, target_.string(), "is there already and is nothing that may be replaced");
  temporary_ = target_;
  temporary_ += ".partial-" + std::to_string(getpid());
  fs::create_directories(temporary_, error);
  if (error) throw Error(ErrorCode::io, temporary_.string(), "cannot make the directory: " + error.message());
}

AtomicDirectory::~AtomicDirectory() {
  std::error_code ignored;
  if (!committed_) fs::remove_all(temporary_, ignored);
}

void AtomicDirectory::write(const fs::path& relative, std::string_view bytes) const {
  fs::path path = temporary_ / relative;
  make_folder(relative.parent_path());
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) throw Error(ErrorCode::io, path.string(), "cannot write");
}

void AtomicDirectory::make_folder(const fs::path& relative) const {
  std::error_code error;
  fs::create_directories(temporary_ / relative, error);
  if (error) throw Error(ErrorCode::io, (temporary_ / relative).string(), "cannot make the directory: " + error.message());
}

void AtomicDirectory::commit() {
  std::error_code error;
  fs::path old = target_;
  old += ".old-" + std::to_string(getpid());
  const bool replaces = fs::exists(target_, error);
  if (replaces) fs::rename(target_, old, error);
  if (!error) fs::rename(temporary_, target_, error);
  if (error) {
    std::error_code ignored;
    if (replaces && !fs::exists(target_, ignored)) fs::rename(old, target_, ignored);
    throw Error(ErrorCode::io, target_.string(), "cannot move the finished directory into place: " + error.message());
  }
  committed_ = true;
  if (replaces) fs::remove_all(old, error);
}

}  // namespace hyalite
