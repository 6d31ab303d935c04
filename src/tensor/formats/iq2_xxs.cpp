// iq2_xxs: half d | 8 x (4 grid indices, 4 x 7 sign bits, 4 scale bits). value = d * (scale + 1/2) / 4 * grid * sign.
#include "tensor/formats/format.h"

namespace hyalite {
namespace {

void decode_block(const uint8_t* block, float* out) {
  const float d = load_half(block);
  for (int j = 0; j < 8; ++j) {
    const uint8_t* qs = block + 2 + j * 8;
    const uint32_t signs = load_u32(qs + 4);
    const float scale = d * (0.5f + static_cast<float>(signs >> 28)) * 0.25f;
    for (int g = 0; g < 4; ++g) decode_iq2_group(kIq2XxsGrid[qs[g]], signs_of(signs >> 7 * g), scale, out + j * 32 + g * 8);
  }
}

}  // namespace

const FormatSpec format_iq2_xxs = block_format<kSuperBlock, 66, decode_block>(DType::iq2_xxs, "iq2_xxs");

}  // namespace hyalite
