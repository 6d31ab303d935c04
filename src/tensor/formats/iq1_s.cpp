// iq1_s: half d | 32 bytes of grid index | 8 x (4 x 3 index bits, 3 scale bits, sign of the shift). value = d * (2 scale + 1) * (grid +-
// 1/8).
#include "tensor/formats/format.h"

namespace hyalite {
namespace {

void decode_block(const uint8_t* block, float* out) {
  const float d = load_half(block);
  for (int j = 0; j < 8; ++j) {
    const uint8_t* qs = block + 2 + j * 4;
    const int high = load_u16(block + 34 + j * 2);
    const float scale = d * static_cast<float>(2 * (high >> 12 & 7) + 1), delta = high & 0x8000 ? -0.125f : 0.125f;
    for (int g = 0; g < 4; ++g) decode_iq1_group(kIq1Grid[qs[g] | (high >> 3 * g & 7) << 8], delta, scale, out + j * 32 + g * 8);
  }
}

}  // namespace

const FormatSpec format_iq1_s = block_format<kSuperBlock, 50, decode_block>(DType::iq1_s, "iq1_s");

}  // namespace hyalite
