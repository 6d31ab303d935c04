// iq3_s: half d | 64 bytes of grid index | 8 bytes of ninth bits | 32 bytes of signs | 8 scale nibbles. value = d * (2 scale + 1) * grid *
// sign.
#include "tensor/formats/grid_block.h"

namespace hyalite {
namespace {

void decode_block(const uint8_t* block, float* out) {
  const float d = load_half(block);
  const uint8_t *qs = block + 2, *high = block + 66, *signs = block + 74, *scales = block + 106;
  for (int i = 0; i < kSuperBlock; ++i) {
    const int nibble = scales[i / 64] >> i / 32 % 2 * 4 & 15, q = i / 4;
    const float scale = d * static_cast<float>(1 + 2 * nibble);
    const int code = kIq3SGrid[qs[q] | (high[q / 8] >> q % 8 & 1) << 8];
    const int level = 2 * (code >> i % 4 * 4 & 7) + 1;
    out[i] = scale * static_cast<float>(level) * sign_of(signs[i / 8], i % 8);
  }
}

constexpr uint8_t kLevels[8] = {1, 3, 5, 7, 9, 11, 13, 15};
constexpr GridSpec kGrid{kIq3SGrid, 512, 4, 4, kLevels, 8, false, 1, 2};

void encode(const float* x, const float* weights, uint8_t* block) {
  const GridSuperBlock<kGrid, 8> fit(x, weights);
  store_half(fit.d, block);
  std::memset(block + 66, 0, 8);
  for (int g = 0; g < 64; ++g) {
    block[2 + g] = static_cast<uint8_t>(fit.entries[g]);
    block[66 + g / 8] |= static_cast<uint8_t>((fit.entries[g] >> 8) << g % 8);
  }
  std::memcpy(block + 74, fit.signs, 32);
  for (int j = 0; j < 4; ++j) block[106 + j] = static_cast<uint8_t>(fit.scales[2 * j] | fit.scales[2 * j + 1] << 4);
}

}  // namespace

const FormatSpec format_iq3_s = block_format<kSuperBlock, 110, decode_block>(DType::iq3_s, "iq3_s");
const Encoder encoder_iq3_s = block_encoder<kSuperBlock, 110, encode_unweighted<encode>, encode>(DType::iq3_s);

}  // namespace hyalite
