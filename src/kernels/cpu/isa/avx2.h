// Eight lanes: AVX2 with FMA and F16C.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "kernels/cpu/isa/target.h"

HYALITE_TARGET_BEGIN(HYALITE_AVX2)
namespace hyalite::avx2 {

inline constexpr int kLanes = 8;
// The tile unit, where a target has one (amx.h).
inline constexpr bool kTileUnit = false;
struct TileUnit {};

struct F32 {
  __m256 v;
};
struct I32 {
  __m256i v;
};
struct Mask {
  __m256 v;
};

HYALITE_INLINE F32 splat(float x) {
  return {_mm256_set1_ps(x)};
}
HYALITE_INLINE I32 splat(int32_t x) {
  return {_mm256_set1_epi32(x)};
}
HYALITE_INLINE F32 load(const float* p) {
  return {_mm256_loadu_ps(p)};
}
HYALITE_INLINE I32 load(const int32_t* p) {
  return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))};
}
HYALITE_INLINE __m128i load_128(const void* p) {
  return _mm_loadu_si128(static_cast<const __m128i*>(p));
}
HYALITE_INLINE F32 load_half(const uint16_t* p) {
  return {_mm256_cvtph_ps(load_128(p))};
}
HYALITE_INLINE F32 load_bf16(const uint16_t* p) {
  return {_mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(load_128(p)), 16))};
}
HYALITE_INLINE I32 load_u8(const uint8_t* p) {
  return {_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)))};
}
HYALITE_INLINE I32 load_i8(const int8_t* p) {
  return {_mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)))};
}
HYALITE_INLINE void store(float* p, F32 a) {
  _mm256_storeu_ps(p, a.v);
}
HYALITE_INLINE void store(int32_t* p, I32 a) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), a.v);
}
HYALITE_INLINE void store_half(uint16_t* p, F32 a) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm256_cvtps_ph(a.v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}
HYALITE_INLINE __m128i narrow_to_16(__m256i a) {  // low halves; values fit 16 unsigned bits
  const __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(a, a), 0xd8);
  return _mm256_castsi256_si128(packed);
}
HYALITE_INLINE void store_bf16(uint16_t* p, F32 a) {
  const __m256i raw = _mm256_castps_si256(a.v);
  const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(raw, 16), _mm256_set1_epi32(1));
  const __m256i rounded = _mm256_add_epi32(raw, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff)));
  const __m256i quiet = _mm256_or_si256(raw, _mm256_set1_epi32(0x400000));
  const __m256i is_nan = _mm256_castps_si256(_mm256_cmp_ps(a.v, a.v, _CMP_UNORD_Q));
  const __m256i chosen = _mm256_blendv_epi8(rounded, quiet, is_nan);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), narrow_to_16(_mm256_srli_epi32(chosen, 16)));
}
// Values in [-128, 127].
HYALITE_INLINE void store_i8(int8_t* p, I32 a) {
  const __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(a.v), _mm256_extracti128_si256(a.v, 1));
  _mm_storel_epi64(reinterpret_cast<__m128i*>(p), _mm_packs_epi16(words, words));
}

HYALITE_INLINE F32 operator+(F32 a, F32 b) {
  return {_mm256_add_ps(a.v, b.v)};
}
HYALITE_INLINE F32 operator-(F32 a, F32 b) {
  return {_mm256_sub_ps(a.v, b.v)};
}
HYALITE_INLINE F32 operator*(F32 a, F32 b) {
  return {_mm256_mul_ps(a.v, b.v)};
}
HYALITE_INLINE F32 operator/(F32 a, F32 b) {
  return {_mm256_div_ps(a.v, b.v)};
}
HYALITE_INLINE F32 fma(F32 a, F32 b, F32 c) {
  return {_mm256_fmadd_ps(a.v, b.v, c.v)};
}
HYALITE_INLINE F32 max(F32 a, F32 b) {
  return {_mm256_max_ps(a.v, b.v)};
}
HYALITE_INLINE F32 min(F32 a, F32 b) {
  return {_mm256_min_ps(a.v, b.v)};
}
HYALITE_INLINE F32 sqrt(F32 a) {
  return {_mm256_sqrt_ps(a.v)};
}
HYALITE_INLINE Mask less(F32 a, F32 b) {
  return {_mm256_cmp_ps(a.v, b.v, _CMP_LT_OQ)};
}
HYALITE_INLINE Mask less(I32 a, I32 b) {
  return {_mm256_castsi256_ps(_mm256_cmpgt_epi32(b.v, a.v))};
}
HYALITE_INLINE F32 select(Mask m, F32 yes, F32 no) {
  return {_mm256_blendv_ps(no.v, yes.v, m.v)};
}

HYALITE_INLINE I32 operator+(I32 a, I32 b) {
  return {_mm256_add_epi32(a.v, b.v)};
}
HYALITE_INLINE I32 operator-(I32 a, I32 b) {
  return {_mm256_sub_epi32(a.v, b.v)};
}
HYALITE_INLINE I32 operator&(I32 a, I32 b) {
  return {_mm256_and_si256(a.v, b.v)};
}
HYALITE_INLINE I32 operator|(I32 a, I32 b) {
  return {_mm256_or_si256(a.v, b.v)};
}
HYALITE_INLINE I32 operator^(I32 a, I32 b) {
  return {_mm256_xor_si256(a.v, b.v)};
}
HYALITE_INLINE I32 max(I32 a, I32 b) {
  return {_mm256_max_epi32(a.v, b.v)};
}
template <int bits>
HYALITE_INLINE I32 shift_left(I32 a) {
  return {_mm256_slli_epi32(a.v, bits)};
}
template <int bits>
HYALITE_INLINE I32 shift_right(I32 a) {  // zeros come in
  return {_mm256_srli_epi32(a.v, bits)};
}
HYALITE_INLINE I32 shift_right(I32 a, int bits) {
  return {_mm256_srli_epi32(a.v, bits)};
}

HYALITE_INLINE I32 look_up(const uint8_t* table, I32 index) {
  return {_mm256_shuffle_epi8(_mm256_broadcastsi128_si256(load_128(table)), index.v)};
}
HYALITE_INLINE F32 to_f32(I32 a) {
  return {_mm256_cvtepi32_ps(a.v)};
}
// To nearest even. REQUIRES: |a| < 2^22.
HYALITE_INLINE I32 round_to_i32(F32 a) {
  return {_mm256_cvtps_epi32(a.v)};
}
HYALITE_INLINE I32 bits(F32 a) {
  return {_mm256_castps_si256(a.v)};
}
HYALITE_INLINE F32 from_bits(I32 a) {
  return {_mm256_castsi256_ps(a.v)};
}

HYALITE_INLINE int32_t max_of(I32 a) {
  __m128i m = _mm_max_epi32(_mm256_castsi256_si128(a.v), _mm256_extracti128_si256(a.v, 1));
  m = _mm_max_epi32(m, _mm_shuffle_epi32(m, 0x4e));
  return _mm_cvtsi128_si32(_mm_max_epi32(m, _mm_shuffle_epi32(m, 0xb1)));
}
HYALITE_INLINE int32_t sum_of(I32 a) {
  __m128i m = _mm_add_epi32(_mm256_castsi256_si128(a.v), _mm256_extracti128_si256(a.v, 1));
  m = _mm_add_epi32(m, _mm_shuffle_epi32(m, 0x4e));
  return _mm_cvtsi128_si32(_mm_add_epi32(m, _mm_shuffle_epi32(m, 0xb1)));
}
template <class Op>
HYALITE_INLINE I32 across(const I32 (&rows)[kLanes], Op op) {
  I32 two[4], four[2];
  HYALITE_UNROLL for (int i = 0; i < 4; ++i) {
    const __m256i a = rows[2 * i].v, b = rows[2 * i + 1].v;
    two[i] = op(I32{_mm256_unpacklo_epi32(a, b)}, I32{_mm256_unpackhi_epi32(a, b)});
  }
  HYALITE_UNROLL for (int i = 0; i < 2; ++i) {
    const __m256i a = two[2 * i].v, b = two[2 * i + 1].v;
    four[i] = op(I32{_mm256_unpacklo_epi64(a, b)}, I32{_mm256_unpackhi_epi64(a, b)});
  }
  const __m256i a = four[0].v, b = four[1].v;
  return op(I32{_mm256_permute2x128_si256(a, b, 0x20)}, I32{_mm256_permute2x128_si256(a, b, 0x31)});
}
// Floats: lanes at distance 4, 2, 1.
HYALITE_INLINE float max_of(F32 a) {
  __m128 m = _mm_max_ps(_mm256_castps256_ps128(a.v), _mm256_extractf128_ps(a.v, 1));
  m = _mm_max_ps(m, _mm_movehl_ps(m, m));
  return _mm_cvtss_f32(_mm_max_ss(m, _mm_movehdup_ps(m)));
}
HYALITE_INLINE float sum_of(F32 a) {
  __m128 m = _mm_add_ps(_mm256_castps256_ps128(a.v), _mm256_extractf128_ps(a.v, 1));
  m = _mm_add_ps(m, _mm_movehl_ps(m, m));
  return _mm_cvtss_f32(_mm_add_ss(m, _mm_movehdup_ps(m)));
}
HYALITE_INLINE F32 swap_pairs(F32 a) {
  return {_mm256_permute_ps(a.v, 0xb1)};
}

// As scalar.h says. Products are added in 16 bits for as long as they cannot overflow: |pair| <= 2 * 127 * largest code.
inline constexpr int kCodeBias = 0, kTurns = 4, kSide = 2;
template <int bits, int count, int tokens, int side, class Codes>
HYALITE_INLINE void dot(I32 (*sums)[side], const Codes& codes, const int8_t* activations) {
  constexpr int in_16_bits = bits == 4 ? 8 : bits == 5 ? 4 : bits == 6 ? 2 : 1;
  static_assert(count % in_16_bits == 0);
  HYALITE_UNROLL for (int j = 0; j < count; j += in_16_bits) {
    __m256i pairs[tokens][side];
    HYALITE_UNROLL for (int i = 0; i < in_16_bits; ++i) {
      __m256i code[side];
      HYALITE_UNROLL for (int s = 0; s < side; ++s) code[s] = codes(i + j, s).v;
      HYALITE_UNROLL for (int t = 0; t < tokens; ++t) {
        int32_t word;
        __builtin_memcpy(&word, activations + 32 * t + 4 * (i + j), 4);
        const __m256i four = _mm256_set1_epi32(word);
        HYALITE_UNROLL for (int s = 0; s < side; ++s) {
          __m256i products;
          if constexpr (bits == 8) {  // unsigned times signed again, by moving the sign of the code to the activation
            const __m256i value = _mm256_xor_si256(code[s], _mm256_set1_epi8(-128));
            products = _mm256_maddubs_epi16(_mm256_abs_epi8(value), _mm256_sign_epi8(four, value));
          } else {
            products = _mm256_maddubs_epi16(code[s], four);
          }
          pairs[t][s] = i ? _mm256_add_epi16(pairs[t][s], products) : products;
          HYALITE_OPAQUE_VECTOR(pairs[t][s]);  // or the sums become a tree, whose leaves do not fit the registers
        }
      }
    }
    HYALITE_UNROLL for (int t = 0; t < tokens; ++t) {
      HYALITE_UNROLL for (int s = 0; s < side; ++s) sums[t][s].v =
          _mm256_add_epi32(sums[t][s].v, _mm256_madd_epi16(pairs[t][s], _mm256_set1_epi16(1)));
    }
  }
}

#include "kernels/cpu/isa/math.inc"
#include "kernels/cpu/isa/wide.inc"

}  // namespace hyalite::avx2
HYALITE_TARGET_END
