// iq3_xxs: half d | 64 grid indices | 8 x (4 x 7 sign bits, 4 scale bits). value = d * (scale + 1/2) / 2 * grid * sign.
#include "tensor/formats/format.h"

namespace hyalite {
namespace {

void decode_block(const uint8_t* block, float* out) {
  const float d = load_half(block);
  for (int i = 0; i < kSuperBlock; ++i) {
    const uint32_t packed = load_u32(block + 66 + i / 32 * 4);
    const float scale = d * (0.5f + static_cast<float>(packed >> 28)) * 0.5f;
    const uint8_t level = kIq3XxsLevels[kIq3XxsGrid[block[2 + i / 4]] >> i % 4 * 4 & 7];
    out[i] = scale * level * sign_of(signs_of(packed >> i % 32 / 8 * 7), i % 8);
  }
}

}  // namespace

const FormatSpec format_iq3_xxs = block_format<kSuperBlock, 98, decode_block>(DType::iq3_xxs, "iq3_xxs");

}  // namespace hyalite
