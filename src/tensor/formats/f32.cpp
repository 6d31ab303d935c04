// f32: 32-bit IEEE float.
#include "tensor/formats/format.h"

namespace hyalite {
namespace {

float load(const uint8_t* at) {
  return float_from_bits(load_u32(at));
}

}  // namespace

const FormatSpec format_f32 = dense_format<4, load>(DType::f32, "f32");

}  // namespace hyalite
