// q5_0: half scale | 32 fifth bits | 16 bytes of nibbles. value = d * (q - 16).
#include "tensor/formats/block_of_32.h"

namespace hyalite {
namespace {

void decode_block(const uint8_t* block, float* out) {
  const float d = load_half(block);
  const uint32_t high = load_u32(block + 2);
  for (int i = 0; i < 32; ++i) {
    const int q = nibble_of_32(block + 6, i) | static_cast<int>(high >> i & 1) << 4;
    out[i] = d * static_cast<float>(q - 16);
  }
}

void pack(const uint8_t* codes, uint8_t* block) {
  pack_fifth_bits(codes, block + 2);
  pack_nibbles_of_32(codes, block + 6);
}

}  // namespace

const FormatSpec format_q5_0 = block_format<32, 22, decode_block>(DType::q5_0, "q5_0");
const Encoder encoder_q5_0 = block_encoder<32, 22, encode_offset_nearest<16, pack>, encode_offset_search<16, pack>>(DType::q5_0);

}  // namespace hyalite
