// bf16: The upper half of a 32-bit float.
#include "tensor/formats/encoder.h"

namespace hyalite {
namespace {

float load(const uint8_t* at) {
  return bf16_to_float(load_u16(at));
}

void store(float value, uint8_t* at) {
  store_u16(float_to_bf16(value), at);
}

}  // namespace

const FormatSpec format_bf16 = dense_format<2, load>(DType::bf16, "bf16");
const Encoder encoder_bf16 = dense_encoder<2, store>(DType::bf16);

}  // namespace hyalite
