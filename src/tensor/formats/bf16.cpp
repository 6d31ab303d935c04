// bf16: The upper half of a 32-bit float.
#include "tensor/formats/format.h"

namespace hyalite {
namespace {

float load(const uint8_t* at) {
  return bf16_to_float(load_u16(at));
}

}  // namespace

const FormatSpec format_bf16 = dense_format<2, load>(DType::bf16, "bf16");

}  // namespace hyalite
