// f8_e4m3: 8-bit float, 4 exponent bits, no infinity (safetensors F8_E4M3).
#include "tensor/formats/format.h"

namespace hyalite {
namespace {

float load(const uint8_t* at) {
  return f8_e4m3_to_float(*at);
}

}  // namespace

const FormatSpec format_f8_e4m3 = dense_format<1, load>(DType::f8_e4m3, "f8_e4m3");

}  // namespace hyalite
