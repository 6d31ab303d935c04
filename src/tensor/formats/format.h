// What the format files share. Each of them defines one row of tensor/formats.inc; the order of its float operations is part of the format,
// because decoders must agree to the bit.
#pragma once

#include <cstdint>
#include <string_view>

#include "tensor/dtype.h"
#include "tensor/half.h"

namespace hyalite {

#define FORMAT(name) extern const FormatSpec format_##name;
#include "tensor/formats.inc"
#undef FORMAT

// The row of a block format: decode_block decodes one block of `bytes` to `elements` floats.
template <int elements, int bytes, void (*decode_block)(const uint8_t*, float*)>
constexpr FormatSpec block_format(DType dtype, std::string_view name) {
  return {dtype, name, elements, bytes, false, true, [](const uint8_t* data, int64_t blocks, float* out) {
            for (int64_t i = 0; i < blocks; ++i) decode_block(data + i * bytes, out + i * elements);
          }};
}

// The row of a format whose elements stand alone: `load` reads one of `bytes`.
template <int bytes, float (*load)(const uint8_t*), bool is_float = true>
constexpr FormatSpec dense_format(DType dtype, std::string_view name) {
  return {dtype, name, 1, bytes, is_float, false, [](const uint8_t* data, int64_t elements, float* out) {
            for (int64_t i = 0; i < elements; ++i) out[i] = load(data + i * bytes);
          }};
}
template <int bytes, float (*load)(const uint8_t*)>
constexpr FormatSpec integer_format(DType dtype, std::string_view name) {
  return dense_format<bytes, load, false>(dtype, name);
}

inline constexpr int kSuperBlock = 256;  // elements of a block of the K, IQ and TQ formats

// 6-bit scale and minimum of sub-block `j` of 8, packed in 12 bytes (q4_k, q5_k).
struct ScaleMin {
  float scale, min;
};
inline ScaleMin unpack_scale_min(const uint8_t* packed, int j) {
  if (j < 4) return {static_cast<float>(packed[j] & 63), static_cast<float>(packed[j + 4] & 63)};
  const int scale = (packed[j + 4] & 15) | (packed[j - 4] >> 2 & 48), min = packed[j + 4] >> 4 | (packed[j] >> 2 & 48);
  return {static_cast<float>(scale), static_cast<float>(min)};
}

// int4_g<columns>: half scale | zero point in a byte | two codes a byte, the even column in the low nibble. value = scale * (code - zero).
template <int columns>
void decode_int4(const uint8_t* block, float* out) {
  const float scale = load_half(block);
  const int zero = block[2];
  for (int i = 0; i < columns; ++i) out[i] = scale * static_cast<float>((block[3 + i / 2] >> i % 2 * 4 & 15) - zero);
}
template <int columns>
constexpr FormatSpec int4_format(DType dtype, std::string_view name) {
  return block_format<columns, 3 + columns / 2, decode_int4<columns>>(dtype, name);
}

// The nibble of 16 bytes that holds element `i` of 32: low nibbles first, then high ones.
inline int nibble_of_32(const uint8_t* bytes, int i) {
  return bytes[i % 16] >> i / 16 * 4 & 15;
}

// 2^(e - 128), half of the scale that a byte e8m0 stands for; the two smallest are subnormal.
inline float half_of_e8m0(uint8_t e) {
  return float_from_bits(e < 2 ? 0x00200000u << e : static_cast<uint32_t>(e - 1) << 23);
}
// Twice the values of a 4-bit float (e2m1).
inline constexpr int8_t kFp4Doubled[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};
// The non-linear 4-bit codebook of iq4_nl and iq4_xs.
inline constexpr int8_t kIq4Values[16] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};

// Seven sign bits and the eighth that makes their number even (iq2_xxs, iq2_xs, iq3_xxs).
inline uint8_t signs_of(uint32_t index) {
  const uint32_t seven = index & 127;
  return static_cast<uint8_t>(seven | static_cast<uint32_t>(__builtin_parity(seven)) << 7);
}
inline float sign_of(uint8_t signs, int i) {
  return signs >> i & 1 ? -1.0f : 1.0f;
}

// Grid codes: 8 elements of 2 bits (iq1, iq2) or 4 elements of 3 bits in nibbles (iq3).
extern const uint16_t kIq1Grid[2048], kIq2XxsGrid[256], kIq2XsGrid[512], kIq2SGrid[1024], kIq3XxsGrid[256], kIq3SGrid[512];
inline constexpr uint8_t kIq2Levels[4] = {8, 25, 43, 0};
inline constexpr uint8_t kIq3XxsLevels[8] = {4, 12, 20, 28, 36, 44, 52, 62};

// out[0..8) = (scale * level) * sign of the eight elements that `code` names.
inline void decode_iq2_group(uint16_t code, uint8_t signs, float scale, float* out) {
  for (int i = 0; i < 8; ++i) out[i] = scale * kIq2Levels[code >> 2 * i & 3] * sign_of(signs, i);
}
// out[0..8) = scale * (level + delta), level one of -1, 0, 1.
inline void decode_iq1_group(uint16_t code, float delta, float scale, float* out) {
  for (int i = 0; i < 8; ++i) out[i] = scale * (static_cast<float>((code >> 2 * i & 3) - 1) + delta);
}

}  // namespace hyalite
