// q8_0: half scale | 32 signed bytes. value = d * q.
#include <cmath>

#include "tensor/formats/encoder.h"
#include "tensor/formats/fit.h"

namespace hyalite {
namespace {

void decode_block(const uint8_t* block, float* out) {
  const float d = load_half(block);
  for (int i = 0; i < 32; ++i) out[i] = d * static_cast<float>(static_cast<int8_t>(block[2 + i]));
}

using Codes = IntegerCodes<-127, 127>;

// The quotient uses d before it was rounded to f16, and halves round away from zero.
void encode_nearest(const float* x, uint8_t* block) {
  const float d = __builtin_fabsf(extreme_of<32>(x)) / 127.0f, inverse = inverse_of(d);
  store_half(d, block);
  for (int i = 0; i < 32; ++i) {
    const float rounded = std::round(x[i] * inverse);
    // Beyond 127 only where an input was not finite or the scale is subnormal; converting it to an integer would be undefined.
    block[2 + i] = static_cast<uint8_t>(static_cast<int8_t>(std::fabs(rounded) <= 127.0f ? rounded : 0.0f));
  }
}

void encode_search(const float* x, const float* w, uint8_t* block) {
  const float d = store_half(fit_scale<Codes, 32>(x, w, {4, 0.001f}), block);
  float codes[32];
  codes_of<Codes, 32>(x, inverse_of(d), codes);
  for (int i = 0; i < 32; ++i) block[2 + i] = static_cast<uint8_t>(static_cast<int8_t>(codes[i]));
}

}  // namespace

const FormatSpec format_q8_0 = block_format<32, 34, decode_block>(DType::q8_0, "q8_0");
const Encoder encoder_q8_0 = block_encoder<32, 34, encode_nearest, encode_search>(DType::q8_0);

}  // namespace hyalite
