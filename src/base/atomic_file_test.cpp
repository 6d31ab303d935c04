#include "base/atomic_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "base/error.h"

namespace hyalite {
namespace {
namespace fs = std::filesystem;

class AtomicFiles : public testing::Test {
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

TEST_F(AtomicFiles, WritesAndReplaces) {
  write_file_atomically(folder_ / "out", std::string_view("one\0two", 7));
  EXPECT_EQ(read(folder_ / "out"), std::string("one\0two", 7));
  write_file_atomically(folder_ / "out", "three");
  EXPECT_EQ(read(folder_ / "out"), "three");
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFiles, FailsWithoutLeavingAnything) {
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

TEST_F(AtomicFiles, AppearWhenCommittedOnly) {
  const std::string text = "abcdef";
  auto part = [&](size_t from, size_t count) { return std::span(reinterpret_cast<const uint8_t*>(text.data()) + from, count); };
  {
    AtomicFile abandoned(folder_ / "out", text.size());
    abandoned.write(part(0, 3));
    EXPECT_FALSE(fs::exists(folder_ / "out"));
  }
  EXPECT_EQ(files(), 0u);
  AtomicFile file(folder_ / "out", text.size());
  file.write(part(0, 4));
  file.write(part(4, 2));
  file.commit();
  EXPECT_EQ(read(folder_ / "out"), text);
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFiles, LeaveAloneWhatAKilledProcessLeft) {
  const fs::path left = folder_ / ("out.partial-" + std::to_string(getpid()));
  std::ofstream(left) << "of another";
  write_file_atomically(folder_ / "out", "mine");
  EXPECT_EQ(read(folder_ / "out"), "mine");
  EXPECT_EQ(read(left), "of another");
  EXPECT_EQ(files(), 2u);
}

TEST_F(AtomicFiles, RefuseMoreThanTheDiskHolds) {
  EXPECT_THROW(AtomicFile(folder_ / "out", uint64_t{1} << 62), Error);
  EXPECT_EQ(files(), 0u);
}

}  // namespace
}  // namespace hyalite
