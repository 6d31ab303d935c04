// i32: 32-bit integers, rounded to nearest.
#include "tensor/formats/format.h"

namespace hyalite {
namespace {

float load(const uint8_t* at) {
  return static_cast<float>(static_cast<int32_t>(load_u32(at)));
}

}  // namespace

const FormatSpec format_i32 = integer_format<4, load>(DType::i32, "i32");

}  // namespace hyalite
