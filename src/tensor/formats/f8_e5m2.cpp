// f8_e5m2: 8-bit float, 5 exponent bits (safetensors F8_E5M2).
#include "tensor/formats/format.h"

namespace hyalite {
namespace {

float load(const uint8_t* at) {
  return f8_e5m2_to_float(*at);
}

}  // namespace

const FormatSpec format_f8_e5m2 = dense_format<1, load>(DType::f8_e5m2, "f8_e5m2");

}  // namespace hyalite
