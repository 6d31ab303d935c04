// i64: 64-bit integers, rounded to nearest.
#include "tensor/formats/format.h"

namespace hyalite {
namespace {

float load(const uint8_t* at) {
  return static_cast<float>(static_cast<int64_t>(load_u64(at)));
}

}  // namespace

const FormatSpec format_i64 = integer_format<8, load>(DType::i64, "i64");

}  // namespace hyalite
