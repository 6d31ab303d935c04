// f32: 32-bit IEEE float.
#include "tensor/formats/encoder.h"

namespace hyalite {
namespace {

float load(const uint8_t* at) {
  return float_from_bits(load_u32(at));
}

void store(float value, uint8_t* at) {
  std::memcpy(at, &value, sizeof value);
}

}  // namespace

const FormatSpec format_f32 = dense_format<4, load>(DType::f32, "f32");
const Encoder encoder_f32 = dense_encoder<4, store>(DType::f32);

}  // namespace hyalite
