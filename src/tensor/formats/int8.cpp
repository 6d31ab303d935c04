// int8: a row begins with float scale | zero point in a byte | 3 unused bytes; then a byte a column. value = scale * (code - zero). Blocks
// of 32 are what kernels multiply at a time.
#include "tensor/formats/format.h"

namespace hyalite {
namespace {

constexpr int kColumns = 32, kHeaderBytes = 8;

void decode(const uint8_t* row, int64_t blocks, float* out) {
  const float scale = float_from_bits(load_u32(row));
  const int zero = row[4];
  for (int64_t i = 0; i < blocks * kColumns; ++i) out[i] = scale * static_cast<float>(row[kHeaderBytes + i] - zero);
}

}  // namespace

const FormatSpec format_int8{DType::int8, "int8", kColumns, kColumns, false, true, decode, kHeaderBytes};

}  // namespace hyalite
