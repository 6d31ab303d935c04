#include "base/atomic_directory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <thread>

#include "base/error.h"

namespace hyalite {
namespace {

namespace fs = std::filesystem;

class AtomicDirectoryTest : public ::testing::Test {
 protected:
  AtomicDirectoryTest() {
    std::string pattern = (fs::temp_directory_path() / "hyalite_test_XXXXXX").string();
    root_ = mkdtemp(pattern.data());
  }
  ~AtomicDirectoryTest() override { fs::remove_all(root_); }

  static std::string text_of(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::ptrdiff_t count() const { return std::distance(fs::directory_iterator(root_), fs::directory_iterator()); }

  // Why two directories cannot exchange their names here; empty where they can.
  std::string why_no_exchange() const {
    const fs::path one = root_ / "one", other = root_ / "other";
    fs::create_directory(one);
    fs::create_directory(other);
    const int failure = renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE) == 0 ? 0 : errno;
    fs::remove(one);
    fs::remove(other);
    return failure ? std::strerror(failure) : "";
  }

  static bool never(const fs::path&) { return false; }
  static bool always(const fs::path&) { return true; }

  fs::path root_;
};

TEST_F(AtomicDirectoryTest, AppearsWithTheCommit) {
  AtomicDirectory out(root_ / "out", never);
  out.write("a/b.txt", "text");
  out.make_folder("c");
  EXPECT_FALSE(fs::exists(root_ / "out"));
  out.commit();
  EXPECT_EQ(text_of(root_ / "out/a/b.txt"), "text");
  EXPECT_TRUE(fs::is_directory(root_ / "out/c"));
  EXPECT_EQ(count(), 1);
}

TEST_F(AtomicDirectoryTest, LeavesNothingWithoutOne) {
  { AtomicDirectory(root_ / "out", never).write("a", "text"); }
  EXPECT_EQ(count(), 0);
}

TEST_F(AtomicDirectoryTest, ReplacesOnlyWhatItMay) {
  fs::create_directories(root_ / "out");
  std::ofstream(root_ / "out/old") << "old";
  EXPECT_THROW(AtomicDirectory(root_ / "out", never), Error);
  EXPECT_EQ(text_of(root_ / "out/old"), "old");
  AtomicDirectory out(root_ / "out/", always);
  out.write("new", "new");
  out.commit();
  EXPECT_FALSE(fs::exists(root_ / "out/old"));
  EXPECT_EQ(text_of(root_ / "out/new"), "new");
  EXPECT_EQ(count(), 1);
}

TEST_F(AtomicDirectoryTest, IsThereAllTheWhileItIsReplaced) {
  if (const std::string why = why_no_exchange(); !why.empty()) GTEST_SKIP() << "the file system exchanges no names: " << why;
  {
    AtomicDirectory out(root_ / "out", always);
    out.write("text", "0");
    out.commit();
  }
  std::atomic<bool> done = false;
  int looks = 0, misses = 0;
  std::thread reader([&] {
    for (; !done; ++looks) misses += access((root_ / "out/text").c_str(), F_OK) != 0;
  });
  for (int i = 0; i < 100; ++i) {
    AtomicDirectory out(root_ / "out", always);
    out.write("text", std::to_string(i));
    out.commit();
  }
  done = true;
  reader.join();
  EXPECT_EQ(misses, 0) << "of " << looks;
}

TEST_F(AtomicDirectoryTest, PassesOverWhatAKilledProcessLeft) {
  const std::string id = std::to_string(getpid());
  for (const std::string kind : {"partial-", "old-"}) {
    fs::create_directories(root_ / ("out." + kind + id));
    std::ofstream(root_ / ("out." + kind + id) / "stale") << "stale";
  }
  for (const char* text : {"one", "two"}) {
    AtomicDirectory out(root_ / "out", always);
    out.write("new", text);
    out.commit();
    EXPECT_EQ(text_of(root_ / "out/new"), text);
    EXPECT_FALSE(fs::exists(root_ / "out/stale"));
    EXPECT_EQ(count(), 3);
  }
}

TEST_F(AtomicDirectoryTest, LooksAgainBeforeItReplaces) {
  AtomicDirectory out(root_ / "out", never);
  fs::create_directories(root_ / "out");
  std::ofstream(root_ / "out/notes") << "mine";
  EXPECT_THROW(out.commit(), Error);
  EXPECT_EQ(text_of(root_ / "out/notes"), "mine");
}

TEST_F(AtomicDirectoryTest, ReplacesALinkAndNotWhatItNames) {
  fs::create_directories(root_ / "elsewhere");
  std::ofstream(root_ / "elsewhere/notes") << "mine";
  fs::create_directory_symlink("elsewhere", root_ / "out");
  AtomicDirectory out(root_ / "out", always);
  out.write("new", "new");
  out.commit();
  EXPECT_EQ(text_of(root_ / "out/new"), "new");
  EXPECT_EQ(text_of(root_ / "elsewhere/notes"), "mine");
}

TEST_F(AtomicDirectoryTest, NamesThePlaceThatRefuses) {
  std::ofstream(root_ / "file") << "text";
  EXPECT_THROW(AtomicDirectory(root_ / "file/out", never), Error);
  AtomicDirectory out(root_ / "out", never);
  out.write("file", "text");
  EXPECT_THROW(out.write("file/inside", "text"), Error);
}

TEST_F(AtomicDirectoryTest, HoldsOnlyItsOwnNames) {
  constexpr const char* names[] = {"a", "b", "inside/*.cir"};
  EXPECT_TRUE(holds_only(root_, names));
  std::ofstream(root_ / "b") << "text";
  fs::create_directory(root_ / "inside");
  std::ofstream(root_ / "inside" / "any.cir") << "text";
  EXPECT_TRUE(holds_only(root_, names));
  for (const char* mine : {".notes", "any.cir", "inside/notes"}) {
    std::ofstream(root_ / mine) << "mine";
    EXPECT_FALSE(holds_only(root_, names)) << mine;
    fs::remove(root_ / mine);
  }
  EXPECT_FALSE(holds_only(root_ / "missing", names));
}

}  // namespace
}  // namespace hyalite
