#include "tensor/encode.h"

#include <string>

#include "base/error.h"
#include "tensor/formats/encoder.h"

namespace hyalite {
namespace {

const Encoder* const kEncoders[] = {
#define ENCODER(name) &encoder_##name,
#include "tensor/encoders.inc"
#undef ENCODER
};

const Encoder* find_encoder(DType dtype) {
  for (const Encoder* encoder : kEncoders)
    if (encoder->dtype == dtype) return encoder;
  return nullptr;
}

const Encoder& encoder_of(DType dtype, int64_t elements) {
  const Encoder* encoder = find_encoder(dtype);
  HYALITE_CHECK(encoder && elements % format_of(dtype).block_elements == 0, std::string(format_of(dtype).name));
  return *encoder;
}

}  // namespace

bool can_encode(DType dtype) {
  return find_encoder(dtype) != nullptr;
}

void encode(DType dtype, const float* values, int64_t elements, uint8_t* out) {
  const Encoder& encoder = encoder_of(dtype, elements);
  encoder.nearest(values, elements / format_of(dtype).block_elements, out);
}

void encode_weighted(DType dtype, const float* values, const float* weights, int64_t elements, uint8_t* out) {
  const Encoder& encoder = encoder_of(dtype, elements);
  encoder.search(values, weights, elements / format_of(dtype).block_elements, out);
}

}  // namespace hyalite
