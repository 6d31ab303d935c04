// Decoders against the goldens of tools/oracles/formats.py, bit for bit.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>

#include "base/split_mix.h"
#include "tensor/dtype.h"
#include "tensor/half.h"

namespace hyalite {
namespace {

uint32_t canonical_bits(float value) {
  return std::isnan(value) ? 0x7fc00000 : bits_of(value);
}

uint64_t digest(const std::vector<float>& values) {
  uint64_t state = 0xcbf29ce484222325;
  for (float value : values)
    for (uint32_t bits = canonical_bits(value), i = 0; i < 4; ++i, bits >>= 8) state = (state ^ (bits & 0xff)) * 0x100000001b3;
  return state;
}

// As the script that made the goldens.
std::vector<uint8_t> random_bytes(size_t count, uint64_t seed) {
  std::vector<uint8_t> bytes;
  for (SplitMix64 random(seed); bytes.size() < count;) {
    const uint64_t z = random.next();
    for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<uint8_t>(z >> 8 * i));
  }
  bytes.resize(count);
  return bytes;
}

std::vector<uint8_t> from_hex(const std::string& hex) {
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) bytes.push_back(static_cast<uint8_t>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  return bytes;
}

std::vector<float> decode(const FormatSpec& format, const std::vector<uint8_t>& bytes) {
  const int64_t blocks = static_cast<int64_t>(bytes.size()) / format.block_bytes;
  std::vector<float> values(static_cast<size_t>(blocks * format.block_elements));
  format.decode(bytes.data(), blocks, values.data());
  return values;
}

void check_line(const std::string& line, std::set<std::string>& seen) {
  std::istringstream in(line);
  std::string kind, name, digest_hex, value_hex, hex;
  size_t blocks = 0;
  in >> kind >> name;
  auto dtype = dtype_named(name);
  ASSERT_TRUE(dtype) << name;
  const FormatSpec& format = format_of(*dtype);
  std::vector<uint8_t> bytes;
  if (kind == "stream") {
    in >> blocks;
    bytes = random_bytes(blocks * static_cast<size_t>(format.block_bytes), blocks);
  } else {
    in >> hex;
    bytes = from_hex(hex);
    ASSERT_EQ(bytes.size(), static_cast<size_t>(format.block_bytes)) << name;
  }
  in >> digest_hex;
  const auto values = decode(format, bytes);
  for (size_t i = 0; in >> value_hex; ++i)
    EXPECT_EQ(canonical_bits(values[i]), std::stoul(value_hex, nullptr, 16)) << line << " value " << i;
  EXPECT_EQ(digest(values), std::stoull(digest_hex, nullptr, 16)) << line;
  seen.insert(name);
}

std::set<std::string> check_goldens(const std::string& file) {
  std::ifstream in(std::string(HYALITE_SOURCE_DIR) + "/tests/formats/" + file);
  std::set<std::string> seen;
  for (std::string line; std::getline(in, line);) check_line(line, seen);
  return seen;
}

TEST(Formats, DecodeAsTheGgufPackageDoes) {
  const auto seen = check_goldens("gguf.txt");
  EXPECT_EQ(seen.size(), 26u);
}

TEST(Formats, DecodeEightBitFloatsAsTorchDoes) {
  EXPECT_EQ(check_goldens("torch.txt").size(), 2u);
}

TEST(Formats, EveryRowDescribesItself) {
  for (int i = 0; i < kDTypeCount; ++i) {
    const FormatSpec& format = format_of(static_cast<DType>(i));
    EXPECT_EQ(static_cast<int>(format.dtype), i);
    EXPECT_EQ(dtype_named(format.name), format.dtype);
    EXPECT_GT(format.block_bytes, 0);
    EXPECT_EQ(format.is_quantized, format.block_elements > 1);
  }
}

TEST(Formats, IntegersAndDoubles) {
  auto one = [](DType dtype, const std::vector<uint8_t>& bytes) { return decode(format_of(dtype), bytes).at(0); };
  EXPECT_EQ(one(DType::i8, {0x80}), -128.0f);
  EXPECT_EQ(one(DType::u8, {0x80}), 128.0f);
  EXPECT_EQ(one(DType::i16, {0xfe, 0xff}), -2.0f);
  EXPECT_EQ(one(DType::i32, {0, 0, 0, 0x80}), -2147483648.0f);
  EXPECT_EQ(one(DType::i64, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}), -1.0f);
  EXPECT_EQ(one(DType::f64, {0x9a, 0x99, 0x99, 0x99, 0x99, 0x99, 0xb9, 0x3f}), 0.1f);
}

TEST(Formats, ActivationBlocks) {
  std::vector<uint8_t> q8_1(36), q8_k(292);
  q8_1[1] = 0x40;  // 2.0
  q8_1[4] = 0x81;
  EXPECT_EQ(decode(format_of(DType::q8_1), q8_1)[0], -254.0f);
  q8_k[3] = 0x40;  // 2.0f
  q8_k[4 + 255] = 3;
  EXPECT_EQ(decode(format_of(DType::q8_k), q8_k)[255], 6.0f);
}

TEST(Half, EveryPatternConvertsBothWays) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<uint16_t>(bits);
    const int exponent = half >> 10 & 31, mantissa = half & 1023;
    const float value = half_to_float(half);
    if (exponent == 31 && mantissa) {
      ASSERT_TRUE(std::isnan(value));
      ASSERT_TRUE(std::isnan(half_to_float(float_to_half(value))));
      continue;
    }
    float expected = exponent == 31 ? INFINITY : std::ldexp(exponent ? 1024.0f + mantissa : mantissa, exponent ? exponent - 25 : -24);
    if (half & 0x8000) expected = -expected;
    ASSERT_EQ(bits_of(value), bits_of(expected)) << bits;
    ASSERT_EQ(float_to_half(value), half);
    ASSERT_EQ(float_to_bf16(bf16_to_float(half)), half);
  }
}

TEST(Half, RoundsToNearestEven) {
  EXPECT_EQ(float_to_half(2049.0f), float_to_half(2048.0f));
  EXPECT_EQ(float_to_half(2051.0f), float_to_half(2052.0f));
  EXPECT_EQ(float_to_half(65519.9f), 0x7bff);
  EXPECT_EQ(float_to_half(65520.0f), 0x7c00);
  EXPECT_EQ(float_to_half(0x1p-25f), 0x0000);
  EXPECT_EQ(float_to_half(0x1.8p-24f), 0x0002);
  EXPECT_EQ(float_to_half(-0x1.004p-15f), 0x8200);
  EXPECT_EQ(float_to_bf16(float_from_bits(0x3f808000)), 0x3f80);
  EXPECT_EQ(float_to_bf16(float_from_bits(0x3f818000)), 0x3f82);
  EXPECT_EQ(float_to_bf16(float_from_bits(0x7f7fffff)), 0x7f80);
}

}  // namespace
}  // namespace hyalite
