#include "workbench/compact_base.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "base/digest.h"
#include "base/error.h"

namespace hyalite {
namespace {

const std::vector<int32_t> kIds = {0, 1, 2, 3, 4, 3, 2, 1};
const std::vector<float> kLogits = {1, 2.5F, -3, 2.5F, 2};

// Two windows of four tokens over five ids: one scored token each.
CompactBaseHead head_keeping(int64_t kept) {
  return {.model = "small", .vocabulary = digest_of("words"), .vocab = 5, .cut = {4, 2}, .kept = kept};
}

std::string file_keeping(int64_t kept) {
  CompactBaseWriter writer(head_keeping(kept), kIds);
  writer.set(1, Distribution(std::vector<float>{0, 0, 0, 0, 0}), 1);
  writer.set(0, Distribution(kLogits), 2);
  return std::move(writer).finish();
}

std::span<const uint8_t> bytes_of(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

// With the digest made to fit again.
std::string with_number(std::string file, size_t at, uint32_t value) {
  std::memcpy(file.data() + at, &value, sizeof value);
  file.resize(file.size() - 32);
  return file + digest_of(file);
}

std::string refusal(const std::string& file) {
  try {
    CompactBase base(bytes_of(file), "some.base");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_model);
    return error.what();
  }
  return "accepted";
}

TEST(CompactBase, KeepsTheLikeliestAndTheRestTogether) {
  const std::string file = file_keeping(3);
  const CompactBase base(bytes_of(file), "some.base");
  EXPECT_EQ(base.head().model, "small");
  EXPECT_EQ(base.head().vocabulary, digest_of("words"));
  EXPECT_EQ(std::vector<int32_t>(base.ids().begin(), base.ids().end()), kIds);
  const Distribution whole(kLogits);
  const CompactRow row = base.row(0);
  EXPECT_EQ(std::vector<int32_t>(row.ids.begin(), row.ids.end()), (std::vector<int32_t>{1, 3, 4}));  // equals: the lower id first
  for (size_t i = 0; i < 3; ++i) EXPECT_FLOAT_EQ(row.log_probs[i], static_cast<float>(whole.log_prob(row.ids[i])));
  EXPECT_FLOAT_EQ(row.next_log_prob, static_cast<float>(whole.log_prob(2)));
  EXPECT_NEAR(std::exp(row.rest_log_prob), std::exp(whole.log_prob(0)) + std::exp(whole.log_prob(2)), 1e-6);
  EXPECT_NEAR(base.row(1).rest_log_prob, std::log(0.4), 1e-6);
}

TEST(CompactBase, WithEveryIdNothingIsLeftOver) {
  const std::string file = file_keeping(5);
  EXPECT_EQ(CompactBase(bytes_of(file), "some.base").row(0).rest_log_prob, -std::numeric_limits<float>::infinity());
}

TEST(CompactBase, RefusesWhatItDoesNotUnderstand) {
  const std::string file = file_keeping(3);
  ASSERT_EQ(refusal(file), "accepted");
  EXPECT_NE(refusal("GGUF").find("does not begin with HYALBASE"), std::string::npos);
  EXPECT_NE(refusal(file.substr(0, 40)).find("ends inside its header"), std::string::npos);
  EXPECT_NE(refusal(with_number(file, 8, 2)).find("version 2, this build reads version 1"), std::string::npos);
  EXPECT_NE(refusal(with_number(file, 12, 3)).find("windows of 3 tokens"), std::string::npos);
  EXPECT_NE(refusal(with_number(file, 24, 6)).find("keeps 6 of 5 ids"), std::string::npos);
  EXPECT_NE(refusal(with_number(file, 20, 0xffffffff)).find("4294967295 windows"), std::string::npos);
  EXPECT_NE(refusal(with_number(file, 20, 3)).find("header does not explain"), std::string::npos);
  EXPECT_NE(refusal(file + "x").find("header does not explain"), std::string::npos);
}

TEST(CompactBase, RefusesDamageAndRowsThatAreNoDistribution) {
  const std::string file = file_keeping(3);
  std::string damaged = file;
  damaged[damaged.size() - 40] ^= 1;
  EXPECT_NE(refusal(damaged).find("digest does not fit"), std::string::npos);
  const size_t ids_at = 64 + 8, rows_at = ids_at + 8 * 4;
  EXPECT_NE(refusal(with_number(file, ids_at, 5)).find("token 0 is 5, beyond the vocabulary"), std::string::npos);
  EXPECT_NE(refusal(with_number(file, rows_at + 8, 5)).find("row 0 is no distribution"), std::string::npos);
  EXPECT_NE(refusal(with_number(file, rows_at, 0x7fc00000)).find("row 0 is no distribution"), std::string::npos);       // NaN
  EXPECT_NE(refusal(with_number(file, rows_at + 20, 0xff800000)).find("row 0 is no distribution"), std::string::npos);  // sums to less
}

}  // namespace
}  // namespace hyalite
