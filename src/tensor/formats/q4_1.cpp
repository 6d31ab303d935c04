// q4_1: half scale | half minimum | 16 bytes of nibbles. value = d * q + m.
#include "tensor/formats/block_of_32.h"

namespace hyalite {
namespace {

void decode_block(const uint8_t* block, float* out) {
  const float d = load_half(block), m = load_half(block + 2);
  for (int i = 0; i < 32; ++i) out[i] = d * static_cast<float>(nibble_of_32(block + 4, i)) + m;
}

void pack(const uint8_t* codes, uint8_t* block) {
  pack_nibbles_of_32(codes, block + 4);
}

}  // namespace

const FormatSpec format_q4_1 = block_format<32, 20, decode_block>(DType::q4_1, "q4_1");
const Encoder encoder_q4_1 = block_encoder<32, 20, encode_affine_nearest<15, pack>, encode_affine_search<15, pack>>(DType::q4_1);

}  // namespace hyalite
