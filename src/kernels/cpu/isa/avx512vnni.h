// AVX-512 with int8 dot products: the vectors of avx512.h, and a target of its own.
#pragma once

#include "kernels/cpu/isa/avx512.h"

HYALITE_TARGET_BEGIN(HYALITE_AVX512VNNI)
namespace hyalite::avx512vnni {

using namespace avx512;

HYALITE_INLINE I32 multiply_four(I32 sum, I32 code, I32 word) {
  return {_mm512_dpbusd_epi32(sum.v, code.v, word.v)};
}

// The same with the word in memory, as an operand of the instruction: compilers load it to a register of its own, which costs a step.
HYALITE_INLINE I32 multiply_four(I32 sum, I32 code, const int8_t* word) {
  __asm__("vpdpbusd %2%{1to16%}, %1, %0" : "+v"(sum.v) : "v"(code.v), "m"(*reinterpret_cast<const int32_t*>(word)));
  return sum;
}

#include "kernels/cpu/isa/vnni.inc"

}  // namespace hyalite::avx512vnni
HYALITE_TARGET_END
