// q4_k: half d | half dmin | 8 scales and minima of 6 bits in 12 bytes | 128 bytes of nibbles. value = (d * scale) * q - (dmin * min).
#include "tensor/formats/super_block.h"

namespace hyalite {
namespace {

void decode_block(const uint8_t* block, float* out) {
  const float d = load_half(block), dmin = load_half(block + 2);
  for (int j = 0; j < 8; ++j) {
    const ScaleMin sub = unpack_scale_min(block + 4, j);
    const float scale = d * sub.scale, min = dmin * sub.min;
    const uint8_t* qs = block + 16 + j / 2 * 32;
    for (int i = 0; i < 32; ++i) out[j * 32 + i] = scale * static_cast<float>(qs[i] >> j % 2 * 4 & 15) - min;
  }
}

void encode(const float* x, const float* weights, uint8_t* block) {
  const MinimumSuperBlock<15, 8, 63> fit(x, weights);
  store_half(fit.d, block);
  store_half(fit.dmin, block + 2);
  pack_scale_min(fit.scales, fit.minima, block + 4);
  for (int i = 0; i < 128; ++i) {
    const uint8_t* pair = fit.codes + i / 32 * 64 + i % 32;
    block[16 + i] = static_cast<uint8_t>((pair[0] & 15) | pair[32] << 4);
  }
}

void encode_nearest(const float* x, uint8_t* block) {
  encode(x, nullptr, block);
}

}  // namespace

const FormatSpec format_q4_k = block_format<kSuperBlock, 144, decode_block>(DType::q4_k, "q4_k");
const Encoder encoder_q4_k = block_encoder<kSuperBlock, 144, encode_nearest, encode>(DType::q4_k);

}  // namespace hyalite
