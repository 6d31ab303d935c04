#include "tensor/affine.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace hyalite {
namespace {

constexpr DType kAffine[] = {DType::int8, DType::int4_g32, DType::int4_g64, DType::int4_g128};

std::vector<float> normal(size_t count, float middle, uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> draw(middle, 0.03f);
  std::vector<float> values(count);
  for (float& value : values) value = draw(random);
  return values;
}

std::vector<uint8_t> encoded(DType dtype, const std::vector<float>& values, const float* importance = nullptr) {
  std::vector<uint8_t> row(row_bytes(dtype, static_cast<int64_t>(values.size())));
  EXPECT_TRUE(encode_affine(dtype, values.data(), importance, static_cast<int64_t>(values.size()), row.data()));
  return row;
}

std::vector<float> round_trip(DType dtype, const std::vector<float>& values, const float* importance = nullptr) {
  std::vector<float> back(values.size());
  const FormatSpec& format = format_of(dtype);
  format.decode(encoded(dtype, values, importance).data(), static_cast<int64_t>(values.size()) / format.block_elements, back.data());
  return back;
}

double loss(const std::vector<float>& a, const std::vector<float>& b, const std::vector<float>& importance) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += importance[i] * std::pow(double{a[i]} - b[i], 2);
  return sum;
}

TEST(Affine, StaysWithinHalfAStepOfEveryValue) {
  for (DType dtype : kAffine)
    for (float middle : {0.0f, 0.05f, -0.2f}) {
      const auto values = normal(256, middle, 1), back = round_trip(dtype, values);
      const float levels = dtype == DType::int8 ? 255 : 15;
      for (size_t i = 0; i < values.size(); ++i) {
        const size_t group = dtype == DType::int8 ? 256 : format_of(dtype).block_elements, begin = i / group * group;
        float low = 0, high = 0;
        for (size_t k = begin; k < begin + group; ++k) low = std::min(low, values[k]), high = std::max(high, values[k]);
        // Half a step, half a step more at an end because the zero point is whole, and the rounding of the scale.
        EXPECT_LE(std::abs(values[i] - back[i]), (high - low) / levels * 1.02f) << format_of(dtype).name << " " << i;
      }
    }
}

TEST(Affine, KeepsZerosAndWhatLiesOnTheGrid) {
  for (DType dtype : kAffine) {
    EXPECT_EQ(round_trip(dtype, std::vector<float>(128, 0.0f)), std::vector<float>(128, 0.0f));
    std::vector<float> values(128);
    for (size_t i = 0; i < values.size(); ++i) values[i] = 0.25f * (static_cast<float>(i % 16) - 5);
    if (dtype != DType::int8) {
      EXPECT_EQ(round_trip(dtype, values), values) << format_of(dtype).name;
    }
    values[7] = 0;
    EXPECT_EQ(round_trip(dtype, values)[7], 0);
  }
}

TEST(Affine, ImportanceNarrowsARangeForTheColumnsThatMatter) {
  for (DType dtype : kAffine) {
    std::vector<float> values = normal(128, 0, 3), importance(128, 1.0f);
    for (size_t i = 0; i < values.size(); i += 32) values[i] = 0.3f, importance[i] = 1e-6f;
    const auto plain = round_trip(dtype, values), weighed = round_trip(dtype, values, importance.data());
    EXPECT_LT(loss(values, weighed, importance), 0.8 * loss(values, plain, importance)) << format_of(dtype).name;
  }
}

TEST(Affine, RefusesWhatItCannotHold) {
  for (DType dtype : kAffine) {
    std::vector<uint8_t> row(row_bytes(dtype, 128));
    for (float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
      std::vector<float> values(128, 1.0f);
      values[100] = bad;
      EXPECT_FALSE(encode_affine(dtype, values.data(), nullptr, 128, row.data()));
    }
    std::vector<float> huge(128, 3e38f);
    huge[0] = -3e38f;
    EXPECT_FALSE(encode_affine(dtype, huge.data(), nullptr, 128, row.data())) << format_of(dtype).name;
  }
  EXPECT_FALSE(is_affine(DType::q4_1));
}

// The bytes, as the comments of the formats describe them.
TEST(Affine, LiesAsTheFormatsSay) {
  std::vector<float> values(32, 0.0f);
  values[0] = -0.5f, values[1] = 1.0f, values[2] = 0.3f;
  const std::vector<uint8_t> four = encoded(DType::int4_g32, values);  // scale 0.1, zero 5
  ASSERT_EQ(four.size(), 19u);
  EXPECT_EQ(four[0] | four[1] << 8, 0x2e66);
  EXPECT_EQ(four[2], 5);
  EXPECT_EQ(four[3], 0xf0);
  EXPECT_EQ(four[4], 0x58);
  const std::vector<uint8_t> eight = encoded(DType::int8, values);
  ASSERT_EQ(eight.size(), 40u);
  float scale;
  std::memcpy(&scale, eight.data(), 4);
  EXPECT_FLOAT_EQ(scale, 1.5f / 255);
  EXPECT_EQ(eight[4], 85);
  EXPECT_EQ(eight[8], 0);
  EXPECT_EQ(eight[9], 255);
  EXPECT_EQ(eight[10], 136);
}

}  // namespace
}  // namespace hyalite
