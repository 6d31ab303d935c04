#include "workbench/logit_base.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "base/error.h"
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
      LogitBase base(path_);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_model);
      return error.what();
    }
    return "accepted";
  }

  std::filesystem::path path_;
};

TEST_F(LogitBaseTest, KeepsLogProbabilitiesToSixteenBits) {
  const std::vector<float> logits = {1, 2.5F, -3, 0, 2};
  write(logits, {0, 0, 0, 0, 0});
  EXPECT_EQ(std::filesystem::file_size(path_), 20 + 8 * 4 + 2 * (8 + 6 * 2));
  LogitBase base(path_);
  EXPECT_EQ(base.shape().rows(), 2);
  EXPECT_EQ(base.ids(), (std::vector<int32_t>{0, 1, 2, 3, 4, 3, 2, 1}));
  double sum = 0;
  for (float logit : logits) sum += std::exp(static_cast<double>(logit));
  for (size_t id = 0; id < logits.size(); ++id) EXPECT_NEAR(base.row(0).log_prob(id), logits[id] - std::log(sum), 5.5 / 65535);
  for (size_t id = 0; id < logits.size(); ++id) EXPECT_NEAR(base.row(1).log_prob(id), -std::log(5.0), 1e-6);
}

TEST_F(LogitBaseTest, KeepsFarLogitsAtSixteenBelowTheHighest) {
  write({0, -100, -16, -8, -1e30F}, {0, 0, 0, 0, 0});
  const LogitBase base(path_);
  const LogProbRow row = base.row(0);
  for (size_t id : {1, 2, 4}) EXPECT_NEAR(row.log_prob(id) - row.log_prob(0), -16, 1e-5);
  EXPECT_NEAR(row.log_prob(3) - row.log_prob(0), -8, 2e-4);
}

TEST_F(LogitBaseTest, RefusesOtherFilesAndOtherSizes) {
  std::ofstream(path_) << "GGUF and more than a header";
  EXPECT_NE(refusal().find("_logits_"), std::string::npos);
  write({0, 1, 2, 3, 4}, {0, 0, 0, 0, 0});
  std::filesystem::resize_file(path_, std::filesystem::file_size(path_) - 1);
  EXPECT_NE(refusal().find("header does not explain"), std::string::npos);
  std::fstream(path_, std::ios::in | std::ios::out | std::ios::binary).seekp(8).write("\xff\xff\xff\xff", 4);
  EXPECT_NE(refusal().find("has a header with -1"), std::string::npos);
}

}  // namespace
}  // namespace hyalite
