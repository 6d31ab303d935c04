#include "plan/tune_record.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "base/error.h"

namespace hyalite {
namespace {

constexpr char kFirst[] = "matmul.q8_0.avx2", kSecond[] = "matmul.q8_0.scalar";

TuneRecord record_here() {
  TuneRecord record{.origin = tune_origin(detect_machine(), "1.2.3"), .choices = {}};
  record.choices["matmul f32[1 x 64]"] = choice_of({timing_of(kFirst, {9, 10, 11}), timing_of(kSecond, {4, 5, 6})});
  record.choices["matmul f32[65+ x 64]"] = choice_of({timing_of(kFirst, {90.5}), timing_of(kSecond, {300.25, 301})});
  return record;
}

class TuneRecordFile : public ::testing::Test {
 protected:
  TuneRecordFile() { std::filesystem::create_directories(folder_); }
  ~TuneRecordFile() override { std::filesystem::remove_all(folder_); }

  StoredTuneRecord loaded(const Json& json) const {
    std::ofstream(path_) << json.dump();
    return load_tune_record(path_, here_.origin);
  }
  // The remark on a record with one thing changed; there is no record then.
  std::string remark(const std::function<void(Json&)>& change) const {
    Json json = to_json(here_);
    change(json);
    const StoredTuneRecord stored = loaded(json);
    EXPECT_EQ(stored.record, nullptr);
    EXPECT_EQ(stored.remark.find('\n'), std::string::npos);
    EXPECT_NE(stored.remark.find(path_), std::string::npos) << stored.remark;
    EXPECT_NE(stored.remark.find("ignored"), std::string::npos) << stored.remark;
    return stored.remark;
  }

  std::filesystem::path folder_ = std::filesystem::temp_directory_path() / ("tune_record_test." + std::to_string(getpid()));
  std::string path_ = (folder_ / "tune.json").string();
  TuneRecord here_ = record_here();
};

TEST(Timing, IsOrderedAndHasHalfTheQuartilesDistance) {
  const VariantTiming timing = timing_of("x", {5, 1, 3, 2, 4});
  EXPECT_EQ(timing, (VariantTiming{"x", 5, 3, 1, 5, 1}));
  EXPECT_EQ(timing_of("x", {2, 1}).median_us, 1.5);
}

TEST(Choice, TheFirstStaysUnlessAnotherIsClearlyFaster) {
  EXPECT_EQ(choice_of({timing_of("a", {10, 10, 10}), timing_of("b", {9, 9, 9})}).variant, "b");
  EXPECT_EQ(choice_of({timing_of("a", {8, 10, 12}), timing_of("b", {9, 9, 9})}).variant, "a");
  EXPECT_EQ(choice_of({timing_of("a", {9, 9, 9}), timing_of("b", {10, 10, 10})}).variant, "a");
  const TuneChoice choice = choice_of({timing_of("a", {10}), timing_of("b", {12}), timing_of("c", {5})});
  EXPECT_EQ(choice.variant, "c");
  EXPECT_DOUBLE_EQ(choice.gain(), 2);
}

TEST_F(TuneRecordFile, ComesBackAsItWasSaved) {
  save_tune_record(path_, here_);
  const StoredTuneRecord stored = load_tune_record(path_, here_.origin);
  ASSERT_NE(stored.record, nullptr) << stored.remark;
  EXPECT_EQ(*stored.record, here_);
  EXPECT_EQ(tune_record_from_json(to_json(here_), "x"), here_);
}

TEST_F(TuneRecordFile, WithoutAFileThereIsNothingToSay) {
  const StoredTuneRecord stored = load_tune_record(path_, here_.origin);
  EXPECT_EQ(stored.record, nullptr);
  EXPECT_EQ(stored.remark, "");
}

TEST_F(TuneRecordFile, OfAnotherMachineIsToldPlainly) {
  EXPECT_NE(remark([](Json& json) { json["cpu_model"] = "Z80"; }).find("is of another machine: its CPU is Z80"), std::string::npos);
  EXPECT_NE(remark([](Json& json) { json["features"] = "mmx"; }).find("another machine"), std::string::npos);
  EXPECT_NE(remark([](Json& json) { json["cores"] = 4096; }).find("cores is 4096"), std::string::npos);
  EXPECT_NE(remark([](Json& json) { json["cpus"] = 4096; }).find("CPUs is 4096"), std::string::npos);
}

TEST_F(TuneRecordFile, AStaleOneIsTold) {
  EXPECT_NE(remark([](Json& json) { json["hyalite"] = "0.0.1"; }).find("is stale: Hyalite 0.0.1 made it, this is 1.2.3"),
            std::string::npos);
  EXPECT_NE(remark([](Json& json) { json["variants"] = "0"; }).find("is stale"), std::string::npos);
  EXPECT_NE(remark([](Json& json) {
              json["choices"][0]["variant"] = json["choices"][0]["timed"][0]["variant"] = "matmul.q8_0.mmx";
            }).find("matmul.q8_0.mmx"),
            std::string::npos);
}

TEST_F(TuneRecordFile, ADamagedOneNamesTheField) {
  EXPECT_NE(remark([](Json& json) { json["version"] = 99; }).find("version"), std::string::npos);
  EXPECT_NE(remark([](Json& json) { json.erase("choices"); }).find("no field choices"), std::string::npos);
  EXPECT_NE(remark([](Json& json) { json["choices"][1]["timed"][0].erase("samples"); }).find("choices[1].timed[0]: has no field samples"),
            std::string::npos);
  EXPECT_NE(remark([](Json& json) { json["choices"][0]["timed"][0]["min_us"] = 1e9; }).find("min_us"), std::string::npos);
  EXPECT_NE(remark([](Json& json) { json["choices"][0]["timed"][0]["median_us"] = "5"; }).find("median_us"), std::string::npos);
  EXPECT_NE(remark([](Json& json) { json["choices"][0]["variant"] = kFirst + std::string("x"); }).find("not among the timed"),
            std::string::npos);
  EXPECT_NE(remark([](Json& json) { json["choices"].push_back(json["choices"][0]); }).find("twice"), std::string::npos);
  EXPECT_NE(remark([](Json& json) { json = Json::array(); }).find("object"), std::string::npos);
  std::ofstream(path_) << "{";
  EXPECT_NE(load_tune_record(path_, here_.origin).remark.find("ignored"), std::string::npos);
}

}  // namespace
}  // namespace hyalite
