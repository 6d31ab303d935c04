// fp32 to the few formats that Hyalite itself writes: dense floats and q8_0. Rounds to nearest; q8_0 rounds as gguf.quants does.
#pragma once

#include <cstdint>

#include "tensor/dtype.h"

namespace hyalite {

bool can_encode(DType dtype);  // f32, f16, bf16, q8_0

// Writes `elements` values as whole blocks of `dtype`. REQUIRES: can_encode(dtype) and elements a multiple of the block. Pure; any thread.
void encode(DType dtype, const float* values, int64_t elements, uint8_t* out);

}  // namespace hyalite
