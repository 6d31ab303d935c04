// AVX2 with int8 dot products: the vectors of avx2.h, and a target of its own.
#pragma once

#include "kernels/cpu/isa/avx2.h"

HYALITE_TARGET_BEGIN(HYALITE_AVXVNNI)
namespace hyalite::avxvnni {

using namespace avx2;

// As scalar.h says.
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
      const __m256i four = _mm256_set1_epi32(word);
      HYALITE_UNROLL for (int s = 0; s < side; ++s) sums[t][s].v = _mm256_dpbusd_avx_epi32(sums[t][s].v, code[s].v, four);
    }
  }
}

}  // namespace hyalite::avxvnni
HYALITE_TARGET_END
