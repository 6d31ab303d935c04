// fp32 to the formats that Hyalite writes (encoders.inc).
#pragma once

#include <cstdint>

#include "tensor/dtype.h"

namespace hyalite {

bool can_encode(DType dtype);

// What a matrix becomes whose rows the format does not divide (encoders.inc); again where that does not divide them either. REQUIRES:
// can_encode(dtype).
DType smaller_blocks(DType dtype);

// Writes `elements` values as whole blocks of `dtype`, each rounded to what is nearest with the scale that its block's extremes give; to
// the bit what gguf.quants.quantize makes where it knows the format. Any floats are taken. REQUIRES: can_encode(dtype) and elements a
// multiple of the block. Pure; any thread.
void encode(DType dtype, const float* values, int64_t elements, uint8_t* out);

// The same, but scales, minima and codes are searched for the smallest sum of weights[i] * (values[i] - decoded[i])^2 of each block;
// `weights` has `elements` entries, none negative. Dense formats round to nearest. REQUIRES: finite values and weights.
void encode_weighted(DType dtype, const float* values, const float* weights, int64_t elements, uint8_t* out);

}  // namespace hyalite
