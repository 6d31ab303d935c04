// A directory that appears whole or not at all, even where the machine fails: filled under a temporary name beside its place, brought to
// the disk, then renamed. One that it replaces gives way in the same moment, where the file system can exchange two names.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace hyalite {

// Whether every file in a directory and in its folders has a relative path that fits one of these shell patterns ("*" passes no "/"): what
// may be replaced holds no file of the user's besides.
bool holds_only(const std::filesystem::path& directory, std::span<const char* const> patterns);

class AtomicDirectory {
 public:
  // Throws Error{invalid_argument} where something is at `target` that `replaceable` does not allow to be replaced, Error{io} otherwise.
  AtomicDirectory(std::filesystem::path target, std::function<bool(const std::filesystem::path&)> replaceable);
  ~AtomicDirectory();  // removes what was written, unless committed
  AtomicDirectory(const AtomicDirectory&) = delete;
  AtomicDirectory& operator=(const AtomicDirectory&) = delete;

  // Writes a file at a relative path, making its folders. Throws Error{io} naming it.
  void write(const std::filesystem::path& relative, std::string_view bytes) const;
  void make_folder(const std::filesystem::path& relative) const;    // throws Error{io} naming it
  const std::filesystem::path& path() const { return temporary_; }  // to write larger files into
  // Throws as the constructor does; what is at the target stays then.
  void commit();

 private:
  void check_replaceable() const;
  void sync_file_system() const;

  std::filesystem::path target_, temporary_;
  std::function<bool(const std::filesystem::path&)> replaceable_;
  bool committed_ = false;
};

}  // namespace hyalite
