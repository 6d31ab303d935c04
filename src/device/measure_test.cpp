#include "device/measure.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "device/calibration.h"
#include "device/peak_loops.h"

namespace hyalite {
namespace {

const MeasureOptions tiny{.repeats = 3, .bytes = 1 << 16, .seconds = 1e-4};

Machine some_machine() {
  Machine machine;
  machine.cpu_model = "test CPU";
  machine.cpus = 2;
  machine.features = kAvx2;
  return machine;
}

// A path of its own in the temporary directory, removed at the end.
class TemporaryFile {
 public:
  TemporaryFile() : path_(testing::TempDir() + "hyalite_" + testing::UnitTest::GetInstance()->current_test_info()->name() + ".json") {
    std::filesystem::remove(path_);
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }
  void write(const std::string& text) const { std::ofstream(path_) << text; }
  std::string read() const {
    std::ifstream in(path_);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  std::string path_;
};

Calibration some_calibration() {
  const Measurement m = summarize({1e9, 2e9, 3e9});
  return {m, summarize({4e9}), m, m, summarize({5e9, 7e9})};
}

TEST(Measure, MedianAndSpread) {
  const Measurement m = summarize({5, 1, 3, 2, 4});
  EXPECT_EQ(m.median, 3);
  EXPECT_DOUBLE_EQ(m.spread, (4.0 - 2.0) / 6.0);
  EXPECT_EQ(m.samples.front(), 5) << "samples keep their order";
  EXPECT_EQ(summarize({}).median, 0);
  EXPECT_EQ(summarize({1, 2}).median, 1.5);
}

TEST(Measure, EveryFigureIsPositive) {
  ThreadPool pool(2);
  const Calibration c = calibrate(pool, detect_machine(), tiny);
  for (const Measurement& m : {c.read_one, c.read_all, c.copy_all, c.int8_all, c.f32_all}) {
    EXPECT_EQ(m.samples.size(), 3u);
    EXPECT_GT(m.median, 0);
  }
  const Machine machine = with_calibration(some_machine(), c);
  EXPECT_TRUE(machine.measured);
  EXPECT_EQ(machine.read_bytes_per_s, c.read_all.median);
}

TEST(Measure, LoopsNeedOnlyWhatIsAllowed) {
  EXPECT_EQ(int8_peak_loop(0).needs, 0u);
  EXPECT_EQ(f32_peak_loop(0).needs, 0u);
  EXPECT_EQ(int8_peak_loop(kAvx2).needs & ~uint32_t{kAvx2}, 0u);
  EXPECT_GT(int8_peak_loop(0).run(10, 3), 0u);
}

TEST(Measure, ReadsEveryByte) {
  alignas(64) uint8_t bytes[256] = {};
  bytes[0] = 1, bytes[72] = 2, bytes[248] = 3;
  EXPECT_EQ(read_stream(bytes, sizeof bytes), 6u);
}

TEST(Calibration, SavedFilesLoadAgain) {
  const TemporaryFile file;
  save_calibration(file.path(), some_machine(), some_calibration());
  const StoredCalibration stored = load_calibration(file.path(), some_machine());
  ASSERT_TRUE(stored.calibration) << stored.remark;
  EXPECT_TRUE(stored.remark.empty());
  EXPECT_EQ(stored.calibration->read_one.samples, some_calibration().read_one.samples);
  EXPECT_EQ(stored.calibration->f32_all.median, 6e9);
}

TEST(Calibration, AnotherMachineIsIgnoredWithARemark) {
  const TemporaryFile file;
  save_calibration(file.path(), some_machine(), some_calibration());
  Machine other = some_machine();
  other.cpu_model = "another CPU";
  const StoredCalibration stored = load_calibration(file.path(), other);
  EXPECT_FALSE(stored.calibration);
  EXPECT_NE(stored.remark.find("cpu_model is \"test CPU\""), std::string::npos) << stored.remark;
  other = some_machine();
  other.features = 0;
  EXPECT_FALSE(load_calibration(file.path(), other).calibration);
}

TEST(Calibration, AnotherVersionIsIgnoredWithARemark) {
  const TemporaryFile file;
  save_calibration(file.path(), some_machine(), some_calibration());
  std::string text = file.read();
  text.replace(text.find("\"version\": 1"), 12, "\"version\": 9");
  file.write(text);
  EXPECT_NE(load_calibration(file.path(), some_machine()).remark.find("version is 9"), std::string::npos);
}

TEST(Calibration, DamagedFilesAreIgnoredWithARemark) {
  const TemporaryFile file;
  EXPECT_NE(load_calibration(file.path(), some_machine()).remark.find("no calibration"), std::string::npos);
  for (const char* text : {"", "{", "[]", "{\"kind\": 3}", "null"}) {
    file.write(text);
    const StoredCalibration stored = load_calibration(file.path(), some_machine());
    EXPECT_FALSE(stored.calibration) << text;
    EXPECT_FALSE(stored.remark.empty()) << text;
  }
  save_calibration(file.path(), some_machine(), some_calibration());
  std::string text = file.read();
  text.replace(text.find("copy_all"), 8, "copy_any");
  file.write(text);
  EXPECT_NE(load_calibration(file.path(), some_machine()).remark.find("copy_all_bytes_per_s"), std::string::npos);
}

TEST(Calibration, AnUnwritablePathIsAnError) {
  EXPECT_THROW(save_calibration("/nonexistent/directory/machine.json", some_machine(), some_calibration()), Error);
  std::string folder = testing::TempDir() + "/hyalite_calibration_XXXXXX";
  ASSERT_TRUE(mkdtemp(folder.data()));
  const std::filesystem::path taken = std::filesystem::path(folder) / "machine.json";
  std::filesystem::create_directory(taken);
  EXPECT_THROW(save_calibration(taken.string(), some_machine(), some_calibration()), Error);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1) << "something is left beside it";
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace hyalite
