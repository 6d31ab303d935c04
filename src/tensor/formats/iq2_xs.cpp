// iq2_xs: half d | 32 x (9 index bits, 7 sign bits) | 16 scale nibbles. value = d * (scale + 1/2) / 4 * grid * sign.
#include "tensor/formats/grid_block.h"

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

constexpr GridSpec kGrid{kIq2XsGrid, 512, 8, 2, kIq2Levels, 3, true, 0.125f, 0.25f};

void encode(const float* x, const float* weights, uint8_t* block) {
  const GridSuperBlock<kGrid, 16> fit(x, weights);
  store_half(fit.d, block);
  for (int g = 0; g < 32; ++g) store_u16(static_cast<uint16_t>(fit.entries[g] | (fit.signs[g] & 127) << 9), block + 2 + g * 2);
  for (int j = 0; j < 8; ++j) block[66 + j] = static_cast<uint8_t>(fit.scales[2 * j] | fit.scales[2 * j + 1] << 4);
}

}  // namespace

const FormatSpec format_iq2_xs = block_format<kSuperBlock, 74, decode_block>(DType::iq2_xs, "iq2_xs");
const Encoder encoder_iq2_xs = block_encoder<kSuperBlock, 74, encode_unweighted<encode>, encode>(DType::iq2_xs);

}  // namespace hyalite
