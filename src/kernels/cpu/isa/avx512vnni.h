// AVX-512 with int8 dot products: the vectors of avx512.h, and a target of its own.
#pragma once

#include "kernels/cpu/isa/avx512.h"

HYALITE_TARGET_BEGIN(HYALITE_AVX512VNNI)
namespace hyalite::avx512vnni {

using namespace avx512;

// As scalar.h says. Tokens by turns: a dot product takes four cycles, and one is issued in each.
inline constexpr int kCodeBias = 128, kTurns = 4;
template <int bits, int count, int tokens>
HYALITE_INLINE void dot(I32* sums, const I32* codes, const int8_t* activations) {
  HYALITE_UNROLL for (int j = 0; j < count; ++j) {
    HYALITE_UNROLL for (int t = 0; t < tokens; ++t) {
      int32_t word;
      __builtin_memcpy(&word, activations + 32 * t + 4 * j, 4);
      sums[t].v = _mm512_dpbusd_epi32(sums[t].v, codes[j].v, _mm512_set1_epi32(word));
    }
  }
}

}  // namespace hyalite::avx512vnni
HYALITE_TARGET_END
