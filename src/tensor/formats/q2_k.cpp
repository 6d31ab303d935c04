// q2_k: 16 scale/minimum nibble pairs | 64 bytes of 2-bit values | half d | half dmin. value = (d * scale) * q - (dmin * min).
#include "tensor/formats/super_block.h"

namespace hyalite {
namespace {

void decode_block(const uint8_t* block, float* out) {
  const float d = load_half(block + 80), dmin = load_half(block + 82);
  const uint8_t* qs = block + 16;
  for (int i = 0; i < kSuperBlock; ++i) {
    const uint8_t packed = block[i / 16];
    const float scale = d * static_cast<float>(packed & 15), min = dmin * static_cast<float>(packed >> 4);
    const int q = qs[i / 128 * 32 + i % 32] >> i % 128 / 32 * 2 & 3;
    out[i] = scale * static_cast<float>(q) - min;
  }
}

void encode(const float* x, const float* weights, uint8_t* block) {
  const MinimumSuperBlock<3, 16, 15> fit(x, weights);
  for (int j = 0; j < 16; ++j) block[j] = static_cast<uint8_t>(fit.scales[j] | fit.minima[j] << 4);
  pack_crumbs_of_256(fit.codes, block + 16);
  store_half(fit.d, block + 80);
  store_half(fit.dmin, block + 82);
}

void encode_nearest(const float* x, uint8_t* block) {
  encode(x, nullptr, block);
}

}  // namespace

const FormatSpec format_q2_k = block_format<kSuperBlock, 84, decode_block>(DType::q2_k, "q2_k");
const Encoder encoder_q2_k = block_encoder<kSuperBlock, 84, encode_nearest, encode>(DType::q2_k);

}  // namespace hyalite
