// iq4_xs: half d | 8 x 2 high scale bits | 8 low scale nibbles | 128 bytes of nibbles into a code book. value = d * (scale - 32) * code[q].
#include "tensor/formats/format.h"

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

}  // namespace

const FormatSpec format_iq4_xs = block_format<kSuperBlock, 136, decode_block>(DType::iq4_xs, "iq4_xs");

}  // namespace hyalite
