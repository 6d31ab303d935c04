// One lane, plain C++: the oracle of the wider targets and what runs where they are absent.
#pragma once

#include <cstdint>

#include "kernels/cpu/isa/target.h"
#include "tensor/half.h"

namespace hyalite::scalar {

inline constexpr int kLanes = 1;
// The tile unit, where a target has one (amx.h).
inline constexpr bool kTileUnit = false;
struct TileUnit {};

struct F32 {
  float v;
};
struct I32 {
  int32_t v;
};
using Mask = bool;

HYALITE_INLINE F32 splat(float x) {
  return {x};
}
HYALITE_INLINE I32 splat(int32_t x) {
  return {x};
}
HYALITE_INLINE F32 load(const float* p) {
  return {*p};
}
HYALITE_INLINE I32 load(const int32_t* p) {
  return {*p};
}
HYALITE_INLINE F32 load_half(const uint16_t* p) {
  return {half_to_float(*p)};
}
HYALITE_INLINE F32 load_bf16(const uint16_t* p) {
  return {bf16_to_float(*p)};
}
HYALITE_INLINE I32 load_u8(const uint8_t* p) {
  return {*p};
}
HYALITE_INLINE I32 load_i8(const int8_t* p) {
  return {*p};
}
HYALITE_INLINE void store(float* p, F32 a) {
  *p = a.v;
}
HYALITE_INLINE void store(int32_t* p, I32 a) {
  *p = a.v;
}
HYALITE_INLINE void store_half(uint16_t* p, F32 a) {
  *p = float_to_half(a.v);
}
HYALITE_INLINE void store_bf16(uint16_t* p, F32 a) {
  *p = float_to_bf16(a.v);
}
// Values in [-128, 127].
HYALITE_INLINE void store_i8(int8_t* p, I32 a) {
  *p = static_cast<int8_t>(a.v);
}

HYALITE_INLINE F32 operator+(F32 a, F32 b) {
  return {a.v + b.v};
}
HYALITE_INLINE F32 operator-(F32 a, F32 b) {
  return {a.v - b.v};
}
HYALITE_INLINE F32 operator*(F32 a, F32 b) {
  return {a.v * b.v};
}
HYALITE_INLINE F32 operator/(F32 a, F32 b) {
  return {a.v / b.v};
}
HYALITE_INLINE F32 fma(F32 a, F32 b, F32 c) {
  return {__builtin_fmaf(a.v, b.v, c.v)};
}
HYALITE_INLINE F32 max(F32 a, F32 b) {
  return {a.v > b.v ? a.v : b.v};
}
HYALITE_INLINE F32 min(F32 a, F32 b) {
  return {a.v < b.v ? a.v : b.v};
}
HYALITE_INLINE F32 sqrt(F32 a) {
  return {__builtin_sqrtf(a.v)};
}
HYALITE_INLINE Mask less(F32 a, F32 b) {
  return a.v < b.v;
}
HYALITE_INLINE Mask less(I32 a, I32 b) {
  return a.v < b.v;
}
HYALITE_INLINE F32 select(Mask m, F32 yes, F32 no) {
  return m ? yes : no;
}

HYALITE_INLINE I32 operator+(I32 a, I32 b) {
  return {static_cast<int32_t>(static_cast<uint32_t>(a.v) + static_cast<uint32_t>(b.v))};
}
HYALITE_INLINE I32 operator-(I32 a, I32 b) {
  return {static_cast<int32_t>(static_cast<uint32_t>(a.v) - static_cast<uint32_t>(b.v))};
}
HYALITE_INLINE I32 operator&(I32 a, I32 b) {
  return {a.v & b.v};
}
HYALITE_INLINE I32 operator|(I32 a, I32 b) {
  return {a.v | b.v};
}
HYALITE_INLINE I32 operator^(I32 a, I32 b) {
  return {a.v ^ b.v};
}
HYALITE_INLINE I32 max(I32 a, I32 b) {
  return a.v > b.v ? a : b;
}
template <int bits>
HYALITE_INLINE I32 shift_left(I32 a) {
  return {static_cast<int32_t>(static_cast<uint32_t>(a.v) << bits)};
}
template <int bits>
HYALITE_INLINE I32 shift_right(I32 a) {  // zeros come in
  return {static_cast<int32_t>(static_cast<uint32_t>(a.v) >> bits)};
}
HYALITE_INLINE I32 shift_right(I32 a, int bits) {
  return {static_cast<int32_t>(static_cast<uint32_t>(a.v) >> bits)};
}

// Each byte of `index`, 0 to 15, becomes that one of the table.
HYALITE_INLINE I32 look_up(const uint8_t* table, I32 index) {
  uint32_t found = 0;
  for (int i = 0; i < 32; i += 8) found |= static_cast<uint32_t>(table[static_cast<uint32_t>(index.v) >> i & 15]) << i;
  return {static_cast<int32_t>(found)};
}
HYALITE_INLINE F32 to_f32(I32 a) {
  return {static_cast<float>(a.v)};
}
// To nearest even. REQUIRES: |a| < 2^22, which lets one addition round.
HYALITE_INLINE I32 round_to_i32(F32 a) {
  return {static_cast<int32_t>(bits_of(a.v + 0x1.8p23f) - 0x4b400000u)};
}
HYALITE_INLINE I32 bits(F32 a) {
  return {static_cast<int32_t>(bits_of(a.v))};
}
HYALITE_INLINE F32 from_bits(I32 a) {
  return {float_from_bits(static_cast<uint32_t>(a.v))};
}

HYALITE_INLINE float max_of(F32 a) {
  return a.v;
}
HYALITE_INLINE float sum_of(F32 a) {
  return a.v;
}
HYALITE_INLINE int32_t max_of(I32 a) {
  return a.v;
}
HYALITE_INLINE int32_t sum_of(I32 a) {
  return a.v;
}
// Lane r is what op makes of the lanes of rows[r], in any order.
template <class Op>
HYALITE_INLINE I32 across(const I32 (&rows)[kLanes], Op /*op*/) {
  return rows[0];
}
HYALITE_INLINE F32 swap_pairs(F32 a) {  // one lane has no neighbour; wide.inc swaps registers instead
  return a;
}

// For each of `tokens` whose activations lie 32 bytes apart, and each of `side` registers of rows: sums[t][s] += sum of (code - bias) *
// activation over the vectors codes(j, s) of four codes a lane, j < `count`, exactly. Codes of less than 8 bits have no bias here; with 8
// bits it is 128, of which kCodeBias is left to the caller to take off. kTurns, kSide: how many tokens and registers at once serve a target
// best.
inline constexpr int kCodeBias = 0, kTurns = 1, kSide = 1;
template <int bits, int count, int tokens, int side, class Codes>
HYALITE_INLINE void dot(I32 (*sums)[side], const Codes& codes, const int8_t* activations) {
  for (int j = 0; j < count; ++j) {
    const auto word = static_cast<uint32_t>(codes(j, 0).v);
    for (int t = 0; t < tokens; ++t) {
      for (int i = 0; i < 4; ++i) {
        const int code = static_cast<int>(word >> 8 * i & 255);
        sums[t][0].v += (bits == 8 ? code - 128 : code) * activations[32 * t + 4 * j + i];
      }
    }
  }
}

#include "kernels/cpu/isa/math.inc"
#include "kernels/cpu/isa/wide.inc"

}  // namespace hyalite::scalar
