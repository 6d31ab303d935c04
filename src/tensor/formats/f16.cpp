// f16: IEEE binary16.
#include "tensor/formats/encoder.h"

namespace hyalite {
namespace {

float load(const uint8_t* at) {
  return load_half(at);
}

void store(float value, uint8_t* at) {
  store_u16(float_to_half(value), at);
}

}  // namespace

const FormatSpec format_f16 = dense_format<2, load>(DType::f16, "f16");
const Encoder encoder_f16 = dense_encoder<2, store>(DType::f16);

}  // namespace hyalite
