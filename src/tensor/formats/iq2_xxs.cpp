// iq2_xxs: half d | 8 x (4 grid indices, 4 x 7 sign bits, 4 scale bits). value = d * (scale + 1/2) / 4 * grid * sign.
#include "tensor/formats/grid_block.h"

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

constexpr GridSpec kGrid{kIq2XxsGrid, 256, 8, 2, kIq2Levels, 3, true, 0.125f, 0.25f};

void encode(const float* x, const float* weights, uint8_t* block) {
  const GridSuperBlock<kGrid, 8> fit(x, weights);
  store_half(fit.d, block);
  for (int j = 0; j < 8; ++j) {
    uint32_t packed = static_cast<uint32_t>(fit.scales[j]) << 28;
    for (int g = 0; g < 4; ++g) {
      block[2 + j * 8 + g] = static_cast<uint8_t>(fit.entries[j * 4 + g]);
      packed |= static_cast<uint32_t>(fit.signs[j * 4 + g] & 127) << 7 * g;
    }
    std::memcpy(block + 2 + j * 8 + 4, &packed, sizeof packed);
  }
}

}  // namespace

const FormatSpec format_iq2_xxs = block_format<kSuperBlock, 66, decode_block>(DType::iq2_xxs, "iq2_xxs");
const Encoder encoder_iq2_xxs = block_encoder<kSuperBlock, 66, encode_unweighted<encode>, encode>(DType::iq2_xxs);

}  // namespace hyalite
