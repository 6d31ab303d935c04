// AVX-512 with int8 dot products: the vectors of avx512.h, and a target of its own.
#pragma once

#include "kernels/cpu/isa/avx512.h"

HYALITE_TARGET_BEGIN(HYALITE_AVX512VNNI)
namespace hyalite::avx512vnni {

using namespace avx512;

// As scalar.h says. Tokens by turns: a dot product takes four cycles, and one is issued in each.
inline constexpr int kCodeBias = 128, kTurns = 4, kSide = 2;
template <int bits, int count, int tokens, int side, class Codes>
HYALITE_INLINE void dot(I32 (*sums)[side], const Codes& codes, const int8_t* activations) {
  HYALITE_UNROLL for (int i = 0; i < count; ++i) {
    const int j = count == 8 ? i / 2 + i % 2 * 4 : i;  // codes that lie in one vector one after the other
    I32 code[side];
    HYALITE_UNROLL for (int s = 0; s < side; ++s) code[s] = codes(j, s);
    HYALITE_UNROLL for (int t = 0; t < tokens; ++t) {
      int32_t word;
      __builtin_memcpy(&word, activations + 32 * t + 4 * j, 4);
      const __m512i four = _mm512_set1_epi32(word);
      HYALITE_UNROLL for (int s = 0; s < side; ++s) sums[t][s].v = _mm512_dpbusd_epi32(sums[t][s].v, code[s].v, four);
    }
  }
}

}  // namespace hyalite::avx512vnni
HYALITE_TARGET_END
