#include "tensor/encode.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "base/error.h"

namespace hyalite {
namespace {

std::vector<uint8_t> encoded(DType dtype, const std::vector<float>& values) {
  const FormatSpec& format = format_of(dtype);
  std::vector<uint8_t> bytes(values.size() / format.block_elements * format.block_bytes);
  encode(dtype, values.data(), static_cast<int64_t>(values.size()), bytes.data());
  return bytes;
}

// Bytes from gguf.quants.quantize (gguf 0.19): an irregular block, a zero block, and a ramp whose quotients fall half way.
TEST(Encode, Q8_0MatchesGguf) {
  std::vector<float> values(96);
  for (int i = 0; i < 32; ++i) {
    values[i] = static_cast<float>(((i * 37) % 64 - 31) * 0.37 + 0.001 * i);
    values[64 + i] = static_cast<float>(i - 16) * 0.5f;
  }
  const std::vector<uint8_t> expected = {
      250, 45,  133, 24,  173, 63,  212, 103, 252, 145, 36, 185, 75, 224, 115, 8,  157, 48, 197, 87,  236, 127, 20,  169, 60,  209,
      99,  248, 141, 32,  181, 72,  221, 111, 0,   0,   0,  0,   0,  0,   0,   0,  0,   0,  0,   0,   0,   0,   0,   0,   0,   0,
      0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,  0,   0,  0,   0,   0,  8,   44, 129, 137, 145, 153, 161, 169, 177, 185,
      192, 200, 208, 216, 224, 232, 240, 248, 0,   8,   16, 24,  32, 40,  48,  56, 64,  71, 79,  87,  95,  103, 111, 119};
  EXPECT_EQ(encoded(DType::q8_0, values), expected);
}

TEST(Encode, DenseFormatsReadBack) {
  const std::vector<float> values = {0.0f, -1.5f, 0.25f, 65504.0f, -3.0f};
  for (DType dtype : {DType::f32, DType::f16}) {
    std::vector<float> back(values.size());
    format_of(dtype).decode(encoded(dtype, values).data(), static_cast<int64_t>(values.size()), back.data());
    EXPECT_EQ(back, values);
  }
  EXPECT_EQ(encoded(DType::bf16, {1.0f, -2.0f}), (std::vector<uint8_t>{0x80, 0x3f, 0x00, 0xc0}));
}

TEST(Encode, TakesAnyFloat) {
  std::vector<float> values(32, 1.0f);
  values[0] = std::numeric_limits<float>::infinity();
  values[1] = std::numeric_limits<float>::quiet_NaN();
  values[2] = -std::numeric_limits<float>::denorm_min();
  for (DType dtype : {DType::f32, DType::f16, DType::bf16, DType::q8_0}) encoded(dtype, values);
  values.assign(32, std::numeric_limits<float>::denorm_min());
  encoded(DType::q8_0, values);
}

TEST(Encode, KnowsWhatItCanWrite) {
  EXPECT_TRUE(can_encode(DType::q8_0));
  EXPECT_FALSE(can_encode(DType::q4_k));
  uint8_t out[34];
  const float values[32] = {};
  EXPECT_THROW(encode(DType::q8_0, values, 31, out), Error);
  EXPECT_THROW(encode(DType::q4_0, values, 32, out), Error);
}

}  // namespace
}  // namespace hyalite
