// iq2_s: half d | 32 bytes of grid index | 32 bytes of signs | 8 bytes of 2 index bits each | 16 scale nibbles.
#include "tensor/formats/grid_block.h"

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

constexpr GridSpec kGrid{kIq2SGrid, 1024, 8, 2, kIq2Levels, 3, false, 0.125f, 0.25f};

void encode(const float* x, const float* weights, uint8_t* block) {
  const GridSuperBlock<kGrid, 16> fit(x, weights);
  store_half(fit.d, block);
  std::memset(block + 66, 0, 8);
  for (int g = 0; g < 32; ++g) {
    block[2 + g] = static_cast<uint8_t>(fit.entries[g]);
    block[34 + g] = fit.signs[g];
    block[66 + g / 4] |= static_cast<uint8_t>((fit.entries[g] >> 8) << g % 4 * 2);
  }
  for (int j = 0; j < 8; ++j) block[74 + j] = static_cast<uint8_t>(fit.scales[2 * j] | fit.scales[2 * j + 1] << 4);
}

}  // namespace

const FormatSpec format_iq2_s = block_format<kSuperBlock, 82, decode_block>(DType::iq2_s, "iq2_s");
const Encoder encoder_iq2_s = block_encoder<kSuperBlock, 82, encode_unweighted<encode>, encode>(DType::iq2_s);

}  // namespace hyalite
