// Sixteen lanes: AVX-512 F, BW, VL, DQ.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "kernels/cpu/isa/target.h"

HYALITE_TARGET_BEGIN(HYALITE_AVX512)
namespace hyalite::avx512 {

inline constexpr int kLanes = 16;
// The tile unit, where a target has one (amx.h).
inline constexpr bool kTileUnit = false;
struct TileUnit {};

struct F32 {
  __m512 v;
};
struct I32 {
  __m512i v;
};
using Mask = __mmask16;

HYALITE_INLINE F32 splat(float x) {
  return {_mm512_set1_ps(x)};
}
HYALITE_INLINE I32 splat(int32_t x) {
  return {_mm512_set1_epi32(x)};
}
HYALITE_INLINE F32 load(const float* p) {
  return {_mm512_loadu_ps(p)};
}
HYALITE_INLINE I32 load(const int32_t* p) {
  return {_mm512_loadu_si512(p)};
}
HYALITE_INLINE __m256i load_256(const void* p) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(p));
}
HYALITE_INLINE F32 load_half(const uint16_t* p) {
  return {_mm512_cvtph_ps(load_256(p))};
}
HYALITE_INLINE F32 load_bf16(const uint16_t* p) {
  return {_mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(load_256(p)), 16))};
}
HYALITE_INLINE I32 load_u8(const uint8_t* p) {
  return {_mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)))};
}
HYALITE_INLINE I32 load_i8(const int8_t* p) {
  return {_mm512_cvtepi8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)))};
}
HYALITE_INLINE void store(float* p, F32 a) {
  _mm512_storeu_ps(p, a.v);
}
HYALITE_INLINE void store(int32_t* p, I32 a) {
  _mm512_storeu_si512(p, a.v);
}
HYALITE_INLINE void store_half(uint16_t* p, F32 a) {
  const __m256i halves = _mm512_cvtps_ph(a.v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), halves);
}
HYALITE_INLINE void store_bf16(uint16_t* p, F32 a) {
  const __m512i raw = _mm512_castps_si512(a.v);
  const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(raw, 16), _mm512_set1_epi32(1));
  const __m512i rounded = _mm512_add_epi32(raw, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff)));
  const __m512i quiet = _mm512_or_si512(raw, _mm512_set1_epi32(0x400000));
  const __m512i chosen = _mm512_mask_blend_epi32(_mm512_cmp_ps_mask(a.v, a.v, _CMP_UNORD_Q), rounded, quiet);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm512_cvtepi32_epi16(_mm512_srli_epi32(chosen, 16)));
}
// Values in [-128, 127].
HYALITE_INLINE void store_i8(int8_t* p, I32 a) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm512_cvtepi32_epi8(a.v));
}

HYALITE_INLINE F32 operator+(F32 a, F32 b) {
  return {_mm512_add_ps(a.v, b.v)};
}
HYALITE_INLINE F32 operator-(F32 a, F32 b) {
  return {_mm512_sub_ps(a.v, b.v)};
}
HYALITE_INLINE F32 operator*(F32 a, F32 b) {
  return {_mm512_mul_ps(a.v, b.v)};
}
HYALITE_INLINE F32 operator/(F32 a, F32 b) {
  return {_mm512_div_ps(a.v, b.v)};
}
HYALITE_INLINE F32 fma(F32 a, F32 b, F32 c) {
  return {_mm512_fmadd_ps(a.v, b.v, c.v)};
}
HYALITE_INLINE F32 max(F32 a, F32 b) {
  return {_mm512_max_ps(a.v, b.v)};
}
HYALITE_INLINE F32 min(F32 a, F32 b) {
  return {_mm512_min_ps(a.v, b.v)};
}
HYALITE_INLINE F32 sqrt(F32 a) {
  return {_mm512_sqrt_ps(a.v)};
}
HYALITE_INLINE Mask less(F32 a, F32 b) {
  return _mm512_cmp_ps_mask(a.v, b.v, _CMP_LT_OQ);
}
HYALITE_INLINE Mask less(I32 a, I32 b) {
  return _mm512_cmplt_epi32_mask(a.v, b.v);
}
HYALITE_INLINE F32 select(Mask m, F32 yes, F32 no) {
  return {_mm512_mask_blend_ps(m, no.v, yes.v)};
}

HYALITE_INLINE I32 operator+(I32 a, I32 b) {
  return {_mm512_add_epi32(a.v, b.v)};
}
HYALITE_INLINE I32 operator-(I32 a, I32 b) {
  return {_mm512_sub_epi32(a.v, b.v)};
}
HYALITE_INLINE I32 operator&(I32 a, I32 b) {
  return {_mm512_and_si512(a.v, b.v)};
}
HYALITE_INLINE I32 operator|(I32 a, I32 b) {
  return {_mm512_or_si512(a.v, b.v)};
}
HYALITE_INLINE I32 operator^(I32 a, I32 b) {
  return {_mm512_xor_si512(a.v, b.v)};
}
HYALITE_INLINE I32 max(I32 a, I32 b) {
  return {_mm512_max_epi32(a.v, b.v)};
}
template <int bits>
HYALITE_INLINE I32 shift_left(I32 a) {
  return {_mm512_slli_epi32(a.v, bits)};
}
template <int bits>
HYALITE_INLINE I32 shift_right(I32 a) {  // zeros come in
  return {_mm512_srli_epi32(a.v, bits)};
}
HYALITE_INLINE I32 shift_right(I32 a, int bits) {
  return {_mm512_srli_epi32(a.v, static_cast<unsigned>(bits))};
}

HYALITE_INLINE I32 look_up(const uint8_t* table, I32 index) {
  return {_mm512_shuffle_epi8(_mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(table))), index.v)};
}
HYALITE_INLINE F32 to_f32(I32 a) {
  return {_mm512_cvtepi32_ps(a.v)};
}
// To nearest even. REQUIRES: |a| < 2^22.
HYALITE_INLINE I32 round_to_i32(F32 a) {
  return {_mm512_cvtps_epi32(a.v)};
}
HYALITE_INLINE I32 bits(F32 a) {
  return {_mm512_castps_si512(a.v)};
}
HYALITE_INLINE F32 from_bits(I32 a) {
  return {_mm512_castsi512_ps(a.v)};
}

HYALITE_INLINE int32_t max_of(I32 a) {
  return _mm512_reduce_max_epi32(a.v);
}
HYALITE_INLINE int32_t sum_of(I32 a) {
  return _mm512_reduce_add_epi32(a.v);
}
template <class Op>
HYALITE_INLINE I32 across(const I32 (&rows)[kLanes], Op op) {
  I32 two[8], four[4], eight[2];
  HYALITE_UNROLL for (int i = 0; i < 8; ++i) {
    const __m512i a = rows[2 * i].v, b = rows[2 * i + 1].v;
    two[i] = op(I32{_mm512_unpacklo_epi32(a, b)}, I32{_mm512_unpackhi_epi32(a, b)});
  }
  HYALITE_UNROLL for (int i = 0; i < 4; ++i) {
    const __m512i a = two[2 * i].v, b = two[2 * i + 1].v;
    four[i] = op(I32{_mm512_unpacklo_epi64(a, b)}, I32{_mm512_unpackhi_epi64(a, b)});
  }
  HYALITE_UNROLL for (int i = 0; i < 2; ++i) {
    const __m512i a = four[2 * i].v, b = four[2 * i + 1].v;
    eight[i] = op(I32{_mm512_shuffle_i32x4(a, b, 0x88)}, I32{_mm512_shuffle_i32x4(a, b, 0xdd)});
  }
  const __m512i a = eight[0].v, b = eight[1].v;
  return op(I32{_mm512_shuffle_i32x4(a, b, 0x88)}, I32{_mm512_shuffle_i32x4(a, b, 0xdd)});
}
// Floats: lanes at distance 8, 4, 2, 1.
HYALITE_INLINE float max_of(F32 a) {
  const __m256 n = _mm256_max_ps(_mm512_castps512_ps256(a.v), _mm512_extractf32x8_ps(a.v, 1));
  __m128 m = _mm_max_ps(_mm256_castps256_ps128(n), _mm256_extractf128_ps(n, 1));
  m = _mm_max_ps(m, _mm_movehl_ps(m, m));
  return _mm_cvtss_f32(_mm_max_ss(m, _mm_movehdup_ps(m)));
}
HYALITE_INLINE float sum_of(F32 a) {
  const __m256 n = _mm256_add_ps(_mm512_castps512_ps256(a.v), _mm512_extractf32x8_ps(a.v, 1));
  __m128 m = _mm_add_ps(_mm256_castps256_ps128(n), _mm256_extractf128_ps(n, 1));
  m = _mm_add_ps(m, _mm_movehl_ps(m, m));
  return _mm_cvtss_f32(_mm_add_ss(m, _mm_movehdup_ps(m)));
}
HYALITE_INLINE F32 swap_pairs(F32 a) {
  return {_mm512_permute_ps(a.v, 0xb1)};
}

#include "kernels/cpu/isa/math.inc"
#include "kernels/cpu/isa/wide.inc"

}  // namespace hyalite::avx512
HYALITE_TARGET_END
