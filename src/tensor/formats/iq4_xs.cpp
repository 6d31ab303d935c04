// iq4_xs: half d | 8 x 2 high scale bits | 8 low scale nibbles | 128 bytes of nibbles into a code book. value = d * (scale - 32) * code[q].
#include "tensor/formats/super_block.h"

namespace hyalite {
namespace {

void decode_block(const uint8_t* block, float* out) {
  const float d = load_half(block);
  const int high = load_u16(block + 2);
  for (int j = 0; j < 8; ++j) {
    const int scale = (block[4 + j / 2] >> j % 2 * 4 & 15) | (high >> 2 * j & 3) << 4;
    const float dl = d * static_cast<float>(scale - 32);
    for (int i = 0; i < 32; ++i) out[j * 32 + i] = dl * static_cast<float>(kIq4Values[nibble_of_32(block + 8 + j * 16, i)]);
  }
}

void encode(const float* x, const float* weights, uint8_t* block) {
  const SignedSuperBlock<Iq4Codes, 8, -32> fit(x, weights, {9, 0.02f});
  store_half(fit.d, block);
  int high = 0;
  for (int j = 0; j < 8; ++j) {
    const int scale = fit.scales[j] + 32;
    block[4 + j / 2] = static_cast<uint8_t>((j % 2 ? block[4 + j / 2] : 0) | (scale & 15) << j % 2 * 4);
    high |= (scale >> 4) << 2 * j;
    uint8_t indexes[32];
    for (int i = 0; i < 32; ++i) indexes[i] = Iq4Codes::index(fit.codes[j * 32 + i]);
    pack_nibbles_of_32(indexes, block + 8 + j * 16);
  }
  store_u16(static_cast<uint16_t>(high), block + 2);
}

void encode_nearest(const float* x, uint8_t* block) {
  encode(x, nullptr, block);
}

}  // namespace

const FormatSpec format_iq4_xs = block_format<kSuperBlock, 136, decode_block>(DType::iq4_xs, "iq4_xs");
const Encoder encoder_iq4_xs = block_encoder<kSuperBlock, 136, encode_nearest, encode>(DType::iq4_xs);

}  // namespace hyalite
