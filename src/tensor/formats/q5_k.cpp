// q5_k: half d | half dmin | 12 bytes of scales and minima as q4_k | 32 bytes of fifth bits | 128 bytes of nibbles.
#include "tensor/formats/super_block.h"

namespace hyalite {
namespace {

void decode_block(const uint8_t* block, float* out) {
  const float d = load_half(block), dmin = load_half(block + 2);
  const uint8_t* high = block + 16;
  for (int j = 0; j < 8; ++j) {
    const ScaleMin sub = unpack_scale_min(block + 4, j);
    const float scale = d * sub.scale, min = dmin * sub.min;
    const uint8_t* qs = block + 48 + j / 2 * 32;
    for (int i = 0; i < 32; ++i) {
      const int q = (qs[i] >> j % 2 * 4 & 15) | (high[i] >> j & 1) << 4;
      out[j * 32 + i] = scale * static_cast<float>(q) - min;
    }
  }
}

void encode(const float* x, const float* weights, uint8_t* block) {
  const MinimumSuperBlock<31, 8, 63> fit(x, weights);
  store_half(fit.d, block);
  store_half(fit.dmin, block + 2);
  pack_scale_min(fit.scales, fit.minima, block + 4);
  std::memset(block + 16, 0, 32);
  for (int i = 0; i < kSuperBlock; ++i) block[16 + i % 32] |= static_cast<uint8_t>((fit.codes[i] >> 4) << i / 32);
  for (int i = 0; i < 128; ++i) {
    const uint8_t* pair = fit.codes + i / 32 * 64 + i % 32;
    block[48 + i] = static_cast<uint8_t>((pair[0] & 15) | pair[32] << 4);
  }
}

void encode_nearest(const float* x, uint8_t* block) {
  encode(x, nullptr, block);
}

}  // namespace

const FormatSpec format_q5_k = block_format<kSuperBlock, 176, decode_block>(DType::q5_k, "q5_k");
const Encoder encoder_q5_k = block_encoder<kSuperBlock, 176, encode_nearest, encode>(DType::q5_k);

}  // namespace hyalite
