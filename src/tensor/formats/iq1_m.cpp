// iq1_m: 32 bytes of grid index | 16 bytes of 3 index bits and the sign of the shift | 4 x (4 x 3 scale bits, 4 bits of half d).
#include "tensor/formats/format.h"

namespace hyalite {
namespace {

void decode_block(const uint8_t* block, float* out) {
  const uint8_t* scales = block + 48;
  uint16_t half = 0;
  for (int i = 0; i < 4; ++i) half |= static_cast<uint16_t>((load_u16(scales + 2 * i) & 0xf000) >> (12 - 4 * i));
  const float d = half_to_float(half);
  for (int g = 0; g < 32; ++g) {
    const int high = block[32 + g / 2] >> g % 2 * 4;
    const int scale = load_u16(scales + g / 8 * 2) >> g / 2 % 4 * 3 & 7;
    const float delta = high & 8 ? -0.125f : 0.125f;
    decode_iq1_group(kIq1Grid[block[g] | (high & 7) << 8], delta, d * static_cast<float>(2 * scale + 1), out + g * 8);
  }
}

}  // namespace

const FormatSpec format_iq1_m = block_format<kSuperBlock, 56, decode_block>(DType::iq1_m, "iq1_m");

}  // namespace hyalite
