// iq2_s: half d | 32 bytes of grid index | 32 bytes of signs | 8 bytes of 2 index bits each | 16 scale nibbles.
#include "tensor/formats/format.h"

namespace hyalite {
namespace {

void decode_block(const uint8_t* block, float* out) {
  const float d = load_half(block);
  const uint8_t *qs = block + 2, *signs = block + 34, *high = block + 66, *scales = block + 74;
  for (int g = 0; g < 32; ++g) {
    const int nibble = scales[g / 4] >> g / 2 % 2 * 4 & 15;
    const float scale = d * (0.5f + static_cast<float>(nibble)) * 0.25f;
    const int index = qs[g] | (high[g / 4] >> g % 4 * 2 & 3) << 8;
    decode_iq2_group(kIq2SGrid[index], signs[g], scale, out + g * 8);
  }
}

}  // namespace

const FormatSpec format_iq2_s = block_format<kSuperBlock, 82, decode_block>(DType::iq2_s, "iq2_s");

}  // namespace hyalite
