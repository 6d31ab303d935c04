// q4_0: half scale | 16 bytes of nibbles. value = d * (q - 8).
#include "tensor/formats/block_of_32.h"

namespace hyalite {
namespace {

void decode_block(const uint8_t* block, float* out) {
  const float d = load_half(block);
  for (int i = 0; i < 32; ++i) out[i] = d * static_cast<float>(nibble_of_32(block + 2, i) - 8);
}

void pack(const uint8_t* codes, uint8_t* block) {
  pack_nibbles_of_32(codes, block + 2);
}

}  // namespace

const FormatSpec format_q4_0 = block_format<32, 18, decode_block>(DType::q4_0, "q4_0");
const Encoder encoder_q4_0 = block_encoder<32, 18, encode_offset_nearest<8, pack>, encode_offset_search<8, pack>>(DType::q4_0);

}  // namespace hyalite
