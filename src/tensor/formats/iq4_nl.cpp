// iq4_nl: half d | 16 bytes of nibbles into a code book. value = d * code[q].
#include "tensor/formats/encoder.h"
#include "tensor/formats/fit.h"

namespace hyalite {
namespace {

void decode_block(const uint8_t* block, float* out) {
  const float d = load_half(block);
  for (int i = 0; i < 32; ++i) out[i] = d * static_cast<float>(kIq4Values[nibble_of_32(block + 2, i)]);
}

void pack(const float* x, float d, uint8_t* block) {
  float codes[32];
  codes_of<Iq4Codes, 32>(x, inverse_of(d), codes);
  uint8_t indexes[32];
  for (int i = 0; i < 32; ++i) indexes[i] = Iq4Codes::index(codes[i]);
  pack_nibbles_of_32(indexes, block + 2);
}

void encode_nearest(const float* x, uint8_t* block) {
  pack(x, store_half(extreme_of<32>(x) / Iq4Codes::extreme, block), block);
}

void encode_search(const float* x, const float* w, uint8_t* block) {
  pack(x, store_half(fit_scale<Iq4Codes, 32>(x, w, {9, 0.02f}), block), block);
}

}  // namespace

const FormatSpec format_iq4_nl = block_format<32, 18, decode_block>(DType::iq4_nl, "iq4_nl");
const Encoder encoder_iq4_nl = block_encoder<32, 18, encode_nearest, encode_search>(DType::iq4_nl);

}  // namespace hyalite
