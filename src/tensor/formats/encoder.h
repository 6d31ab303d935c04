// What the format files share for writing: the Encoder row and little helpers. The formats' own headers of scale searches are fit.h (one
// scale or scale and minimum) and super_block.h (scales of scales).
#pragma once

#include <cstring>

#include "tensor/formats/format.h"

namespace hyalite {

// One constant row per format that can be written. Pure functions, any thread. `search` takes as many weights as values.
struct Encoder {
  DType dtype;
  void (*nearest)(const float* values, int64_t blocks, uint8_t* out);
  void (*search)(const float* values, const float* weights, int64_t blocks, uint8_t* out);
};

#define ENCODER(name, smaller) extern const Encoder encoder_##name;
#include "tensor/encoders.inc"
#undef ENCODER

// The row of a block format, from functions for one block.
template <int elements, int bytes, void (*nearest)(const float*, uint8_t*), void (*search)(const float*, const float*, uint8_t*)>
constexpr Encoder block_encoder(DType dtype) {
  return {dtype,
          [](const float* values, int64_t blocks, uint8_t* out) {
            for (int64_t i = 0; i < blocks; ++i) nearest(values + i * elements, out + i * bytes);
          },
          [](const float* values, const float* weights, int64_t blocks, uint8_t* out) {
            for (int64_t i = 0; i < blocks; ++i) search(values + i * elements, weights + i * elements, out + i * bytes);
          }};
}

// The row of a format whose elements stand alone: nothing can be searched.
template <int bytes, void (*store)(float, uint8_t*)>
constexpr Encoder dense_encoder(DType dtype) {
  return {dtype,
          [](const float* values, int64_t elements, uint8_t* out) {
            for (int64_t i = 0; i < elements; ++i) store(values[i], out + i * bytes);
          },
          [](const float* values, const float*, int64_t elements, uint8_t* out) {
            for (int64_t i = 0; i < elements; ++i) store(values[i], out + i * bytes);
          }};
}

inline void store_u16(uint16_t value, uint8_t* at) {
  std::memcpy(at, &value, sizeof value);
}
// Stores a scale and gives back what a decoder will read.
inline float store_half(float value, uint8_t* at) {
  const uint16_t half = float_to_half(value);
  store_u16(half, at);
  return half_to_float(half);
}

// The integer that truncation gives, in [0, most]; any float is taken.
inline int truncated_code(float value, int most) {
  if (!(value > 0)) return 0;
  return value < static_cast<float>(most) ? static_cast<int>(value) : most;
}

// Codes of 32 elements in 16 bytes: low nibbles first, then high ones.
inline void pack_nibbles_of_32(const uint8_t* codes, uint8_t* out) {
  for (int i = 0; i < 16; ++i) out[i] = static_cast<uint8_t>((codes[i] & 15) | codes[i + 16] << 4);
}
// The fifth bits of 32 codes.
inline void pack_fifth_bits(const uint8_t* codes, uint8_t* out) {
  uint32_t bits = 0;
  for (int i = 0; i < 32; ++i) bits |= static_cast<uint32_t>(codes[i] >> 4 & 1) << i;
  std::memcpy(out, &bits, sizeof bits);
}
// 256 codes of 2 bits in 64 bytes: byte i % 32 of each half holds elements i, i + 32, i + 64, i + 96 (q2_k, q3_k, tq2_0).
inline void pack_crumbs_of_256(const uint8_t* codes, uint8_t* out) {
  std::memset(out, 0, 64);
  for (int i = 0; i < kSuperBlock; ++i) out[i / 128 * 32 + i % 32] |= static_cast<uint8_t>((codes[i] & 3) << i % 128 / 32 * 2);
}

// The 6-bit scales and minima of eight parts in 12 bytes: what unpack_scale_min reads.
inline void pack_scale_min(const int* scales, const int* minima, uint8_t* packed) {
  for (int j = 0; j < 4; ++j) {
    packed[j] = static_cast<uint8_t>(scales[j] | (scales[j + 4] >> 4) << 6);
    packed[j + 4] = static_cast<uint8_t>(minima[j] | (minima[j + 4] >> 4) << 6);
    packed[j + 8] = static_cast<uint8_t>((scales[j + 4] & 15) | (minima[j + 4] & 15) << 4);
  }
}

// 1 / scale, or 0 for a scale of 0.
inline float inverse_of(float scale) {
  return scale == 0 ? 0.0f : 1.0f / scale;
}

}  // namespace hyalite
