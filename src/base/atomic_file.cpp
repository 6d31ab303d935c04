#include "base/atomic_file.h"

#include <unistd.h>

#include <fstream>

#include "base/error.h"

namespace hyalite {
namespace fs = std::filesystem;

void write_file_atomically(const fs::path& path, std::string_view bytes) {
  std::error_code error;
  if (fs::exists(path, error) && !fs::is_regular_file(path, error))  // a rename would put a file in the place of a device
    throw Error(ErrorCode::io, path.string(), "cannot write: what is there is no regular file");
  fs::path temporary = path;
  temporary += ".partial-" + std::to_string(getpid());
  std::ofstream file(temporary, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) {
    fs::remove(temporary, error);
    throw Error(ErrorCode::io, path.string(), "cannot write " + std::to_string(bytes.size()) + " bytes");
  }
  fs::rename(temporary, path, error);
  if (!error) return;
  const std::string why = error.message();
  fs::remove(temporary, error);
  throw Error(ErrorCode::io, path.string(), "cannot move the finished file into place: " + why);
}

}  // namespace hyalite
