// iq3_xxs: half d | 64 grid indices | 8 x (4 x 7 sign bits, 4 scale bits). value = d * (scale + 1/2) / 2 * grid * sign.
#include "tensor/formats/grid_block.h"

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

constexpr GridSpec kGrid{kIq3XxsGrid, 256, 4, 4, kIq3XxsLevels, 8, true, 0.25f, 0.5f};

void encode(const float* x, const float* weights, uint8_t* block) {
  const GridSuperBlock<kGrid, 8> fit(x, weights);
  store_half(fit.d, block);
  for (int g = 0; g < 64; ++g) block[2 + g] = static_cast<uint8_t>(fit.entries[g]);
  for (int j = 0; j < 8; ++j) {
    uint32_t packed = static_cast<uint32_t>(fit.scales[j]) << 28;
    for (int g = 0; g < 4; ++g) packed |= static_cast<uint32_t>(fit.signs[j * 4 + g] & 127) << 7 * g;
    std::memcpy(block + 66 + j * 4, &packed, sizeof packed);
  }
}

}  // namespace

const FormatSpec format_iq3_xxs = block_format<kSuperBlock, 98, decode_block>(DType::iq3_xxs, "iq3_xxs");
const Encoder encoder_iq3_xxs = block_encoder<kSuperBlock, 98, encode_unweighted<encode>, encode>(DType::iq3_xxs);

}  // namespace hyalite
