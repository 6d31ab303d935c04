// AVX-512 with int8 dot products: the vectors of avx512.h, and a target of its own.
#pragma once

#include "kernels/cpu/isa/avx512.h"

HYALITE_TARGET_BEGIN(HYALITE_AVX512VNNI)
namespace hyalite::avx512vnni {

using namespace avx512;

HYALITE_INLINE I32 multiply_four(I32 sum, I32 code, I32 word) {
  return {_mm512_dpbusd_epi32(sum.v, code.v, word.v)};
}

#include "kernels/cpu/isa/vnni.inc"

}  // namespace hyalite::avx512vnni
HYALITE_TARGET_END
