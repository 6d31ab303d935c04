#include "base/atomic_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "base/error.h"

namespace hyalite {
namespace {
namespace fs = std::filesystem;

class AtomicFile : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  std::string read(const fs::path& path) const {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }
  size_t files() const { return std::distance(fs::directory_iterator(folder_), fs::directory_iterator()); }

  fs::path folder_ = fs::path(testing::TempDir()) / ("atomic_file_" + std::to_string(getpid()));
};

TEST_F(AtomicFile, WritesAndReplaces) {
  write_file_atomically(folder_ / "out", std::string_view("one\0two", 7));
  EXPECT_EQ(read(folder_ / "out"), std::string("one\0two", 7));
  write_file_atomically(folder_ / "out", "three");
  EXPECT_EQ(read(folder_ / "out"), "three");
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFile, FailsWithoutLeavingAnything) {
  fs::create_directories(folder_ / "taken" / "inside");
  for (const fs::path& path : {folder_ / "taken", folder_ / "missing" / "out"}) {
    try {
      write_file_atomically(path, "x");
      FAIL() << path;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::io);
      EXPECT_EQ(error.where(), path.string());
    }
  }
  EXPECT_EQ(files(), 1u);
}

}  // namespace
}  // namespace hyalite
