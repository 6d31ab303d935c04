// AVX-512 with int8 dot products: the vectors of avx512.h, and a target of its own.
#pragma once

#include "kernels/cpu/isa/avx512.h"

HYALITE_TARGET_BEGIN(HYALITE_AVX512VNNI)
namespace hyalite::avx512vnni {

using namespace avx512;

// As scalar.h says.
inline constexpr int kCodeBias = 128;
template <int bits, int count>
HYALITE_INLINE I32 dot(I32 start, const I32* codes, const int8_t* activations) {
  __m512i sum = start.v;
  HYALITE_UNROLL for (int j = 0; j < count; ++j) {
    int32_t word;
    __builtin_memcpy(&word, activations + 4 * j, 4);
    sum = _mm512_dpbusd_epi32(sum, codes[j].v, _mm512_set1_epi32(word));
  }
  return {sum};
}

}  // namespace hyalite::avx512vnni
HYALITE_TARGET_END
