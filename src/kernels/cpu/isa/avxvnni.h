// AVX2 with int8 dot products: the vectors of avx2.h, and a target of its own.
#pragma once

#include "kernels/cpu/isa/avx2.h"

HYALITE_TARGET_BEGIN(HYALITE_AVXVNNI)
namespace hyalite::avxvnni {

using namespace avx2;

HYALITE_INLINE I32 multiply_four(I32 sum, I32 code, I32 word) {
  return {_mm256_dpbusd_avx_epi32(sum.v, code.v, word.v)};
}

#include "kernels/cpu/isa/vnni.inc"

}  // namespace hyalite::avxvnni
HYALITE_TARGET_END
