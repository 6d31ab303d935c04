// Encoders against the goldens of tools/oracles/encoders.py, and what they promise of any input.
#include "tensor/encode.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <set>
#include <sstream>
#include <vector>

#include "base/error.h"
#include "base/split_mix.h"

namespace hyalite {
namespace {

constexpr int kRows = 16, kColumns = 1024;

std::vector<uint8_t> room_for(DType dtype, size_t elements) {
  return std::vector<uint8_t>(elements / format_of(dtype).block_elements * format_of(dtype).block_bytes);
}

std::vector<uint8_t> encoded(DType dtype, const std::vector<float>& values) {
  std::vector<uint8_t> bytes = room_for(dtype, values.size());
  encode(dtype, values.data(), static_cast<int64_t>(values.size()), bytes.data());
  return bytes;
}

std::vector<uint8_t> searched(DType dtype, const std::vector<float>& values, const std::vector<float>& weights) {
  std::vector<uint8_t> bytes = room_for(dtype, values.size());
  encode_weighted(dtype, values.data(), weights.data(), static_cast<int64_t>(values.size()), bytes.data());
  return bytes;
}

std::vector<float> decoded(DType dtype, const std::vector<uint8_t>& bytes) {
  const FormatSpec& format = format_of(dtype);
  const auto blocks = static_cast<int64_t>(bytes.size()) / format.block_bytes;
  std::vector<float> values(blocks * format.block_elements);
  format.decode(bytes.data(), blocks, values.data());
  return values;
}

// The inputs of the script.
std::vector<float> script_values() {
  std::vector<float> values(kRows * kColumns);
  SplitMix64 random(1);
  for (size_t i = 0; i < values.size(); ++i) {
    const uint64_t z = random.next();
    const auto block = static_cast<int>(i / 32);
    int64_t total = -131070;
    for (int shift = 0; shift < 64; shift += 16) total += static_cast<int64_t>(z >> shift & 0xffff);
    values[i] = std::ldexp(static_cast<float>(total), block % 3 - 18);
    if (block % 64 == 63) values[i] = 0;
    if (block % 64 == 62) values[i] = static_cast<float>(static_cast<int>(i % 32) - 16) * 0.5f;
  }
  return values;
}

// One weight a column, repeated for every row.
std::vector<float> script_weights() {
  std::vector<float> weights(kRows * kColumns);
  SplitMix64 random(2);
  for (int c = 0; c < kColumns; ++c) weights[c] = 0.25f + static_cast<float>(random.next() % 1024) / 256;
  for (size_t i = kColumns; i < weights.size(); ++i) weights[i] = weights[i - kColumns];
  return weights;
}

double relative_error(const std::vector<float>& values, const std::vector<float>& found, const std::vector<float>& weights) {
  double off = 0, all = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    off += weights[i] * std::pow(static_cast<double>(values[i]) - found[i], 2);
    all += weights[i] * std::pow(static_cast<double>(values[i]), 2);
  }
  return std::sqrt(off / all);
}

std::string digest(const std::vector<uint8_t>& bytes) {
  uint64_t state = 0xcbf29ce484222325;
  for (uint8_t byte : bytes) state = (state ^ byte) * 0x100000001b3;
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(state));
  return text;
}

std::vector<std::vector<std::string>> goldens(const std::string& kind) {
  std::ifstream in(std::string(HYALITE_SOURCE_DIR) + "/tests/formats/encoders.txt");
  std::vector<std::vector<std::string>> lines;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::vector<std::string> list{std::istream_iterator<std::string>(words), {}};
    if (list.at(0) == kind) lines.push_back(std::move(list));
  }
  return lines;
}

std::vector<DType> quantised_formats() {
  std::vector<DType> list;
  for (int i = 0; i < kDTypeCount; ++i)
    if (const auto dtype = static_cast<DType>(i); can_encode(dtype) && format_of(dtype).is_quantized) list.push_back(dtype);
  return list;
}

TEST(Encode, NearestEqualsTheGgufPackage) {
  const std::vector<float> values = script_values();
  const auto lines = goldens("bytes");
  EXPECT_EQ(lines.size(), 10u);
  for (const auto& line : lines) EXPECT_EQ(digest(encoded(*dtype_named(line[1]), values)), line[2]) << line[1];
}

TEST(Encode, SearchIsAtLeastAsExactAsGgml) {
  const std::vector<float> values = script_values(), ones(values.size(), 1), weights = script_weights();
  const auto lines = goldens("error");
  EXPECT_EQ(lines.size(), quantised_formats().size());
  for (const auto& line : lines) {
    const DType dtype = *dtype_named(line[1]);
    EXPECT_LE(relative_error(values, decoded(dtype, searched(dtype, values, ones)), ones), std::stod(line[2])) << line[1];
    EXPECT_LE(relative_error(values, decoded(dtype, searched(dtype, values, weights)), weights), std::stod(line[3])) << line[1];
  }
}

// Grids have no nearest code: without weights they are searched too.
bool is_grid(DType dtype) {
  return format_of(dtype).name.starts_with("iq2") || format_of(dtype).name.starts_with("iq3");
}

TEST(Encode, SearchBeatsNearestAndHeedsWeights) {
  const std::vector<float> values = script_values(), ones(values.size(), 1), weights = script_weights();
  for (DType dtype : quantised_formats()) {
    const auto plain = decoded(dtype, searched(dtype, values, ones)), heeded = decoded(dtype, searched(dtype, values, weights));
    const double nearest = is_grid(dtype) ? 1 : relative_error(values, decoded(dtype, encoded(dtype, values)), ones);
    EXPECT_LT(relative_error(values, plain, ones), nearest) << format_of(dtype).name;
    EXPECT_LT(relative_error(values, heeded, weights), relative_error(values, plain, weights)) << format_of(dtype).name;
  }
}

TEST(Encode, KeepsWhatTheFormatCanHold) {
  const std::vector<float> zeros(256, 0), ones(256, 1);
  for (DType dtype : quantised_formats()) {
    EXPECT_EQ(decoded(dtype, encoded(dtype, zeros)), zeros) << format_of(dtype).name;
    EXPECT_EQ(decoded(dtype, searched(dtype, zeros, ones)), zeros) << format_of(dtype).name;
    EXPECT_EQ(decoded(dtype, searched(dtype, zeros, zeros)), zeros) << format_of(dtype).name << " without weights";
    std::vector<float> ternary(256);
    for (size_t i = 0; i < ternary.size(); ++i) ternary[i] = 0.5f * static_cast<float>(static_cast<int>(i * 7 % 3) - 1);
    EXPECT_LT(relative_error(ternary, decoded(dtype, searched(dtype, ternary, ones)), ones), is_grid(dtype) ? 0.4 : 0.05)
        << format_of(dtype).name;
  }
}

TEST(Encode, DenseFormatsReadBack) {
  const std::vector<float> values = {0.0f, -1.5f, 0.25f, 65504.0f, -3.0f};
  for (DType dtype : {DType::f32, DType::f16}) EXPECT_EQ(decoded(dtype, encoded(dtype, values)), values);
  EXPECT_EQ(encoded(DType::bf16, {1.0f, -2.0f}), (std::vector<uint8_t>{0x80, 0x3f, 0x00, 0xc0}));
  EXPECT_EQ(searched(DType::f16, values, values), encoded(DType::f16, values));
}

TEST(Encode, TakesAnyFloat) {
  std::vector<float> values(256, 1.0f), ones(256, 1.0f);
  values[0] = std::numeric_limits<float>::infinity();
  values[1] = std::numeric_limits<float>::quiet_NaN();
  values[2] = -std::numeric_limits<float>::denorm_min();
  const std::vector<float> tiny(256, std::numeric_limits<float>::denorm_min()), huge(256, std::numeric_limits<float>::max());
  for (int i = 0; i < kDTypeCount; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (!can_encode(dtype)) continue;
    for (const std::vector<float>* list : {&std::as_const(values), &tiny, &huge}) {
      encoded(dtype, *list);
      searched(dtype, *list, ones);
    }
  }
}

TEST(Encode, KnowsWhatItCanWrite) {
  EXPECT_TRUE(can_encode(DType::q8_0));
  EXPECT_FALSE(can_encode(DType::q8_k));
  uint8_t out[34];
  const float values[32] = {};
  EXPECT_THROW(encode(DType::q8_0, values, 31, out), Error);
  EXPECT_THROW(encode(DType::q8_k, values, 32, out), Error);
}

}  // namespace
}  // namespace hyalite
