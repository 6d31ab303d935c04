#include "base/error.h"

#include <gtest/gtest.h>

namespace hyalite {
namespace {

TEST(Error, SaysWhereAndWhatInOneLine) {
  const Error error(ErrorCode::invalid_model, "model.gguf: blk.0.attn_q", "offset 12 is not a multiple of 32");
  EXPECT_STREQ(error.what(), "model.gguf: blk.0.attn_q: offset 12 is not a multiple of 32");
  EXPECT_EQ(error.code(), ErrorCode::invalid_model);
  EXPECT_EQ(error.where(), "model.gguf: blk.0.attn_q");
  EXPECT_STREQ(Error(ErrorCode::io, "", "disk full").what(), "disk full");
}

TEST(Error, NamesFromFilesCannotDriveTheTerminalOrSpanLines) {
  const Error error(ErrorCode::invalid_model, "a\nb", "tensor \033[2J\x7f");
  EXPECT_STREQ(error.what(), "a?b: tensor ?[2J?");
}

TEST(Error, ExitCodesFollowTheCommandLineContract) {
  EXPECT_EQ(exit_code_of(ErrorCode::invalid_argument), 2);
  EXPECT_EQ(exit_code_of(ErrorCode::invalid_model), 3);
  EXPECT_EQ(exit_code_of(ErrorCode::unsupported), 3);
  EXPECT_EQ(exit_code_of(ErrorCode::io), 1);
  EXPECT_EQ(exit_code_of(ErrorCode::internal), 1);
}

TEST(Check, ThrowsWhereTheConditionFailsAndOnlyThere) {
  EXPECT_NO_THROW(HYALITE_CHECK(1 + 1 == 2, "sum"));
  try {
    HYALITE_CHECK(1 + 1 == 3, "sum of ones");
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::internal);
    EXPECT_NE(error.where().find("error_test.cpp:"), std::string::npos);
    EXPECT_EQ(error.message(), "check failed: 1 + 1 == 3: sum of ones");
  }
}

}  // namespace
}  // namespace hyalite
