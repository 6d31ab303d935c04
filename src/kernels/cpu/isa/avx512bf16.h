// AVX-512 with bf16 dot products: the vectors of avx512.h, and a target of its own.
#pragma once

#include "kernels/cpu/isa/avx512.h"

HYALITE_TARGET_BEGIN(HYALITE_AVX512BF16)
namespace hyalite::avx512bf16 {

using namespace avx512;

// For each lane sum + the product of the upper halves of `pairs` and `other`, then + that of the lower halves: two fmas that round to
// nearest even, whatever the thread's rounding mode. Denormals count as zero, in operands, between the two and in the result.
HYALITE_INLINE F32 dot_bf16(I32 pairs, uint32_t other, F32 sum) {
  const __m512i others = _mm512_set1_epi32(static_cast<int32_t>(other));
  return {_mm512_dpbf16_ps(sum.v, reinterpret_cast<__m512bh>(pairs.v), reinterpret_cast<__m512bh>(others))};
}

}  // namespace hyalite::avx512bf16
HYALITE_TARGET_END
