// q4_1: half scale | half minimum | 16 bytes of nibbles. value = d * q + m.
#include "tensor/formats/encoder.h"
#include "tensor/formats/fit.h"

namespace hyalite {
namespace {

void decode_block(const uint8_t* block, float* out) {
  const float d = load_half(block), m = load_half(block + 2);
  for (int i = 0; i < 32; ++i) out[i] = d * static_cast<float>(nibble_of_32(block + 4, i)) + m;
}

void pack(const float* x, float minimum, float inverse, uint8_t* block) {
  uint8_t codes[32];
  for (int i = 0; i < 32; ++i) codes[i] = static_cast<uint8_t>(truncated_code((x[i] - minimum) * inverse + 0.5f, 15));
  pack_nibbles_of_32(codes, block + 4);
}

void encode_nearest(const float* x, uint8_t* block) {
  float low = x[0], high = x[0];
  for (int i = 1; i < 32; ++i) {
    if (x[i] < low) low = x[i];
    if (x[i] > high) high = x[i];
  }
  const float d = (high - low) / 15;
  store_half(d, block);
  store_half(low, block + 2);
  pack(x, low, inverse_of(d), block);
}

void encode_search(const float* x, const float* w, uint8_t* block) {
  const ScaleAndMinimum fit = fit_affine<15, 32>(x, w, false, true);
  const float d = store_half(fit.scale, block), minimum = store_half(fit.minimum, block + 2);
  pack(x, minimum, inverse_of(d), block);
}

}  // namespace

const FormatSpec format_q4_1 = block_format<32, 20, decode_block>(DType::q4_1, "q4_1");
const Encoder encoder_q4_1 = block_encoder<32, 20, encode_nearest, encode_search>(DType::q4_1);

}  // namespace hyalite
