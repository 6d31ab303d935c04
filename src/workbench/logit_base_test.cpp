#include "workbench/logit_base.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "base/error.h"
#include "base/mapped_file.h"
#include "base/text_util.h"

namespace hyalite {
namespace {

class LogitBaseTest : public testing::Test {
 protected:
  LogitBaseTest() : path_(std::filesystem::path(testing::TempDir()) / "hyalite_logit_base_test") {}
  ~LogitBaseTest() override { std::filesystem::remove(path_); }

  // Two windows of four tokens over five ids: one scored token each.
  void write(const std::vector<float>& first, const std::vector<float>& second) {
    const std::vector<int32_t> ids = {0, 1, 2, 3, 4, 3, 2, 1};
    LogitBaseWriter writer(path_, {.context = 4, .vocab = 5, .windows = 2}, ids);
    writer.add(first);
    writer.add(second);
    writer.finish();
  }
  std::string refusal() {
    try {
      const auto file = MappedFile::open(path_);
      LogitBase base(file->bytes(), "some.base");
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_model);
      return error.what();
    }
    return "accepted";
  }

  void set_number(int64_t at, uint32_t value) {
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(at).write(reinterpret_cast<const char*>(&value), sizeof value);
  }
  // With one number of a good file replaced.
  std::string refusal_with(int64_t at, uint32_t value) {
    write({0, 1, 2, 3, 4}, {0, 0, 0, 0, 0});
    set_number(at, value);
    return refusal();
  }

  std::filesystem::path path_;
};

TEST_F(LogitBaseTest, KeepsLogProbabilitiesToSixteenBits) {
  const std::vector<float> logits = {1, 2.5F, -3, 0, 2};
  write(logits, {0, 0, 0, 0, 0});
  EXPECT_EQ(std::filesystem::file_size(path_), 20 + 8 * 4 + 2 * (8 + 6 * 2));
  const auto file = MappedFile::open(path_);
  const LogitBase base(file->bytes(), "some.base");
  EXPECT_EQ(base.shape().rows(), 2);
  EXPECT_EQ(std::vector<int32_t>(base.ids().begin(), base.ids().end()), (std::vector<int32_t>{0, 1, 2, 3, 4, 3, 2, 1}));
  double sum = 0;
  for (float logit : logits) sum += std::exp(static_cast<double>(logit));
  for (size_t id = 0; id < logits.size(); ++id) EXPECT_NEAR(base.row(0).log_prob(id), logits[id] - std::log(sum), 5.5 / 65535);
  for (size_t id = 0; id < logits.size(); ++id) EXPECT_NEAR(base.row(1).log_prob(id), -std::log(5.0), 1e-6);
}

TEST_F(LogitBaseTest, KeepsFarLogitsAtSixteenBelowTheHighest) {
  write({0, -100, -16, -8, -1e30F}, {0, 0, 0, 0, 0});
  const auto file = MappedFile::open(path_);
  const LogitBase base(file->bytes(), "some.base");
  const LogProbRow row = base.row(0);
  for (size_t id : {1, 2, 4}) EXPECT_NEAR(row.log_prob(id) - row.log_prob(0), -16, 1e-5);
  EXPECT_NEAR(row.log_prob(3) - row.log_prob(0), -8, 2e-4);
}

TEST_F(LogitBaseTest, KeepsWhatWasThereUntilItIsWhole) {
  std::ofstream(path_) << "old";
  {
    LogitBaseWriter abandoned(path_, {.context = 4, .vocab = 5, .windows = 2}, std::vector<int32_t>(8));
    abandoned.add(std::vector<float>(5));
  }
  EXPECT_EQ(std::filesystem::file_size(path_), 3);
  write({0, 1, 2, 3, 4}, {0, 0, 0, 0, 0});
  EXPECT_EQ(refusal(), "accepted");
}

TEST_F(LogitBaseTest, RefusesOtherFilesAndOtherSizes) {
  std::ofstream(path_) << "GGUF and more than a header";
  EXPECT_NE(refusal().find("_logits_"), std::string::npos);
  write({0, 1, 2, 3, 4}, {0, 0, 0, 0, 0});
  std::filesystem::resize_file(path_, std::filesystem::file_size(path_) - 1);
  EXPECT_NE(refusal().find("header does not explain"), std::string::npos);
  set_number(8, 0xffffffff);
  EXPECT_NE(refusal().find("windows of -1 tokens"), std::string::npos);
}

TEST_F(LogitBaseTest, RefusesIdsBeyondTheVocabulary) {
  for (uint32_t id : {5U, 0x7fffff00U, 0xffffffffU}) {
    const std::string message = refusal_with(20 + 4 * 3, id);  // the last of the first window: it is scored and never run
    EXPECT_NE(message.find("some.base: token 3 is "), std::string::npos) << message;
    EXPECT_NE(message.find("beyond the vocabulary of 5 ids (at offset 32)"), std::string::npos) << message;
  }
}

TEST_F(LogitBaseTest, RefusesWindowsThatScoreNothing) {
  for (uint32_t context : {1U, 2U, 3U}) {
    const std::string message = refusal_with(8, context);
    EXPECT_NE(message.find("windows of " + std::to_string(context) + " tokens"), std::string::npos) << message;
  }
}

TEST_F(LogitBaseTest, RefusesRowsThatAreNoLogProbabilities) {
  constexpr int64_t rows_at = 20 + 8 * 4, row_bytes = 8 + 6 * 2;
  for (int64_t row : {0, 1})
    for (int64_t number : {0, 4})
      for (uint32_t bits : {0x7fc00000U, 0x7f800000U, 0x7f000000U}) {  // NaN, infinity, 2^127
        const std::string message = refusal_with(rows_at + row * row_bytes + number, bits);
        EXPECT_NE(message.find("row " + std::to_string(row) + " is no log-probabilities"), std::string::npos) << message;
      }
}

}  // namespace
}  // namespace hyalite
