// AVX-512 with int8 dot products: the vectors of avx512.h, and a target of its own.
#pragma once

#include "kernels/cpu/isa/avx512.h"

HYALITE_TARGET_BEGIN(HYALITE_AVX512VNNI)
namespace hyalite::avx512vnni {

using namespace avx512;

#include "kernels/cpu/isa/vnni512.inc"

}  // namespace hyalite::avx512vnni
HYALITE_TARGET_END
