// q5_1: half scale | half minimum | 32 fifth bits | 16 bytes of nibbles. value = d * q + m.
#include "tensor/formats/block_of_32.h"

namespace hyalite {
namespace {

void decode_block(const uint8_t* block, float* out) {
  const float d = load_half(block), m = load_half(block + 2);
  const uint32_t high = load_u32(block + 4);
  for (int i = 0; i < 32; ++i) {
    const int q = nibble_of_32(block + 8, i) | static_cast<int>(high >> i & 1) << 4;
    out[i] = d * static_cast<float>(q) + m;
  }
}

void pack(const uint8_t* codes, uint8_t* block) {
  pack_fifth_bits(codes, block + 4);
  pack_nibbles_of_32(codes, block + 8);
}

}  // namespace

const FormatSpec format_q5_1 = block_format<32, 24, decode_block>(DType::q5_1, "q5_1");
const Encoder encoder_q5_1 = block_encoder<32, 24, encode_affine_nearest<31, pack>, encode_affine_search<31, pack>>(DType::q5_1);

}  // namespace hyalite
