#include "base/mapped_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "base/error.h"

namespace hyalite {
namespace {

namespace fs = std::filesystem;

class MappedFileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "hyalite-map-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path write(const std::string& name, const std::string& content) {
    std::ofstream(folder_ / name, std::ios::binary) << content;
    return folder_ / name;
  }

  fs::path folder_;
};

void expect_refused(const fs::path& path, const std::string& why, ErrorCode code = ErrorCode::invalid_model) {
  try {
    MappedFile::open(path);
    FAIL() << path << " was mapped";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    EXPECT_EQ(error.where(), path.string());
    EXPECT_NE(error.message().find(why), std::string::npos) << error.message();
  }
}

TEST_F(MappedFileTest, ShowsTheBytesOfTheFile) {
  const auto file = MappedFile::open(write("a", std::string("ab\0c", 4)));
  EXPECT_EQ(std::vector<uint8_t>(file->bytes().begin(), file->bytes().end()), (std::vector<uint8_t>{'a', 'b', 0, 'c'}));
  EXPECT_EQ(file->path(), folder_ / "a");
}

TEST_F(MappedFileTest, AnEmptyFileIsAnEmptySpan) {
  EXPECT_TRUE(MappedFile::open(write("empty", ""))->bytes().empty());
}

TEST_F(MappedFileTest, RefusesWhatIsNoRegularFile) {
  expect_refused(folder_ / "missing", "cannot open");
  expect_refused(folder_, "not a regular file");
  expect_refused("/dev/zero", "not a regular file");
}

TEST_F(MappedFileTest, RefusesMoreFilesThanTheFaultHandlerCanName) {
  const fs::path path = write("shard", "x");
  std::vector<std::shared_ptr<MappedFile>> files;
  for (int i = 0; i < MappedFile::kMost; ++i) files.push_back(MappedFile::open(path));
  expect_refused(path, "1024", ErrorCode::unsupported);
  EXPECT_TRUE(MappedFile::open(write("empty", ""))->bytes().empty());
  files.pop_back();
  EXPECT_EQ(MappedFile::open(path)->bytes().size(), 1u);
}

TEST_F(MappedFileTest, AdviceIsClippedToTheFileAndChangesNoByte) {
  const std::string content(3 * 4096 + 100, 'x');
  const auto file = MappedFile::open(write("pages", content));
  file->release(0, SIZE_MAX);
  file->release(100, 2 * 4096);
  file->release(SIZE_MAX, SIZE_MAX);
  file->release(content.size(), 1);
  EXPECT_EQ(std::string(file->bytes().begin(), file->bytes().end()), content);
}

TEST_F(MappedFileTest, OutlivesItsName) {
  const auto file = MappedFile::open(write("gone", "still here"));
  fs::remove(folder_ / "gone");
  EXPECT_EQ(file->bytes()[0], 's');
}

TEST_F(MappedFileTest, AFileThatShrinksEndsTheProcessWithItsName) {
  const fs::path path = write("shrinks", std::string(4 * 4096, 'x'));
  const auto read_after_truncation = [&] {
    install_map_fault_handler();
    const auto file = MappedFile::open(path);
    fs::resize_file(path, 0);
    volatile uint8_t byte = file->bytes()[3 * 4096];
    _exit(byte == 'x' ? 0 : 1);
  };
  EXPECT_EXIT(read_after_truncation(), testing::ExitedWithCode(3), "shrinks: the file became shorter");
}

TEST_F(MappedFileTest, ThreadsThatFaultAtOnceSayItOnce) {
  const auto read_after_truncation = [&] {
    install_map_fault_handler();
    const fs::path path = write("shrinks", std::string(4096, 'x'));
    const auto file = MappedFile::open(path);
    fs::resize_file(path, 0);
    std::barrier start(4);
    std::atomic<int> sum = 0;
    const auto read = [&] {
      start.arrive_and_wait();
      sum += file->bytes()[0];
    };
    const std::jthread first(read), second(read), third(read);
    read();
  };
  for (int i = 0; i < 20; ++i)
    EXPECT_EXIT(read_after_truncation(), testing::ExitedWithCode(3), "^hyalite: [^ ]*shrinks: the file [^\n]*\n$");
}

}  // namespace
}  // namespace hyalite
