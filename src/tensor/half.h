// Exact conversions between fp32 and the 16- and 8-bit floats, from bit patterns. Plain inline functions without std templates, so that
// kernels may use them below an instruction-set pragma.
#pragma once

#include <cstdint>

namespace hyalite {

inline float float_from_bits(uint32_t bits) {
  return __builtin_bit_cast(float, bits);
}
inline uint32_t bits_of(float value) {
  return __builtin_bit_cast(uint32_t, value);
}

// IEEE binary16. Subnormals are exact; NaN keeps its payload and becomes quiet, as the hardware conversion does.
inline float half_to_float(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000) << 16, magnitude = half & 0x7fff;
  if (magnitude >= 0x7c00) {
    const uint32_t quiet = magnitude > 0x7c00 ? 0x00400000 : 0;
    return float_from_bits(sign | 0x7f800000 | quiet | (magnitude & 0x3ff) << 13);
  }
  if (magnitude >= 0x0400) return float_from_bits(sign | ((magnitude << 13) + (112u << 23)));
  const float value = static_cast<float>(magnitude) * 0x1p-24f;
  return float_from_bits(sign | bits_of(value));
}

// Round to nearest even; what is too large becomes infinity.
inline uint16_t float_to_half(float value) {
  const uint32_t bits = bits_of(value), magnitude = bits & 0x7fffffff;
  const uint16_t sign = static_cast<uint16_t>(bits >> 16 & 0x8000);
  if (magnitude > 0x7f800000) return sign | 0x7e00 | static_cast<uint16_t>(magnitude >> 13 & 0x3ff);
  if (magnitude >= 0x477ff000) return sign | 0x7c00;  // 65520, half way past the largest half
  if (magnitude < 0x38800000) {                       // below 2^-14: adding 0.5 leaves the subnormal's integer in the low bits, rounded
    const float shifted = float_from_bits(magnitude) + 0.5f;
    return sign | static_cast<uint16_t>(bits_of(shifted) - 0x3f000000);
  }
  return sign | static_cast<uint16_t>((magnitude - (112u << 23) + 0xfff + (magnitude >> 13 & 1)) >> 13);
}

inline float bf16_to_float(uint16_t value) {
  return float_from_bits(static_cast<uint32_t>(value) << 16);
}

// Round to nearest even; NaN stays NaN.
inline uint16_t float_to_bf16(float value) {
  const uint32_t bits = bits_of(value);
  if ((bits & 0x7fffffff) > 0x7f800000) return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

// The finite-only 8-bit float with 4 exponent bits (bias 7): no infinity, 0x7f and 0xff are NaN.
inline float f8_e4m3_to_float(uint8_t value) {
  const uint32_t sign = static_cast<uint32_t>(value & 0x80) << 24, magnitude = value & 0x7f;
  if (magnitude == 0x7f) return float_from_bits(sign | 0x7fc00000);
  if (magnitude >= 8) return float_from_bits(sign | ((magnitude << 20) + (120u << 23)));
  const float subnormal = static_cast<float>(magnitude) * 0x1p-9f;
  return float_from_bits(sign | bits_of(subnormal));
}

// The 8-bit float with 5 exponent bits: the upper half of a binary16.
inline float f8_e5m2_to_float(uint8_t value) {
  return half_to_float(static_cast<uint16_t>(value << 8));
}

// Little-endian loads from unaligned bytes.
inline uint16_t load_u16(const uint8_t* at) {
  return static_cast<uint16_t>(at[0] | at[1] << 8);
}
inline uint32_t load_u32(const uint8_t* at) {
  return load_u16(at) | static_cast<uint32_t>(load_u16(at + 2)) << 16;
}
inline uint64_t load_u64(const uint8_t* at) {
  return load_u32(at) | static_cast<uint64_t>(load_u32(at + 4)) << 32;
}
inline float load_half(const uint8_t* at) {
  return half_to_float(load_u16(at));
}

}  // namespace hyalite
