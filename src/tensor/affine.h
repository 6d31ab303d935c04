// fp32 to the affine integer formats: int8 (a scale and a zero point a row) and int4_g32, int4_g64, int4_g128 (for each group of columns).
#pragma once

#include <cstdint>

#include "tensor/dtype.h"

namespace hyalite {

bool is_affine(DType dtype);

// Writes one row of row_bytes(dtype, columns). Ranges hold 0 exactly, and all values where `importance` is null. Where it gives a weight to
// each column, ranges may be narrower: of a few, the one with the least sum of importance * (value - rounded)^2. False where the format
// cannot hold the row: a value is not finite, or a scale is too large; `row` is then unspecified.
// REQUIRES: is_affine(dtype), columns a multiple of its block. Pure; any thread.
bool encode_affine(DType dtype, const float* values, const float* importance, int64_t columns, uint8_t* row);

}  // namespace hyalite
