// iq2_xs: half d | 32 x (9 index bits, 7 sign bits) | 16 scale nibbles. value = d * (scale + 1/2) / 4 * grid * sign.
#include "tensor/formats/format.h"

namespace hyalite {
namespace {

void decode_block(const uint8_t* block, float* out) {
  const float d = load_half(block);
  for (int g = 0; g < 32; ++g) {
    const uint16_t q = load_u16(block + 2 + g * 2);
    const int nibble = block[66 + g / 4] >> g / 2 % 2 * 4 & 15;
    const float scale = d * (0.5f + static_cast<float>(nibble)) * 0.25f;
    decode_iq2_group(kIq2XsGrid[q & 511], signs_of(q >> 9), scale, out + g * 8);
  }
}

}  // namespace

const FormatSpec format_iq2_xs = block_format<kSuperBlock, 74, decode_block>(DType::iq2_xs, "iq2_xs");

}  // namespace hyalite
