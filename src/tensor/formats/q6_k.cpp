// q6_k: 128 bytes of low nibbles | 64 bytes of high 2 bits | 16 signed scales | half d. value = (d * scale) * (q - 32).
#include "tensor/formats/super_block.h"

namespace hyalite {
namespace {

void decode_block(const uint8_t* block, float* out) {
  const float d = load_half(block + 208);
  const auto* scales = reinterpret_cast<const int8_t*>(block + 192);
  for (int j = 0; j < 8; ++j) {  // runs of 32; j / 4 is the half of the block
    const uint8_t *low = block + j / 4 * 64 + j % 2 * 32, *high = block + 128 + j / 4 * 32;
    for (int i = 0; i < 32; ++i) {
      const int q = (low[i] >> j % 4 / 2 * 4 & 15) | (high[i] >> j % 4 * 2 & 3) << 4;
      out[j * 32 + i] = d * static_cast<float>(scales[j * 2 + i / 16]) * static_cast<float>(q - 32);
    }
  }
}

void encode(const float* x, const float* weights, uint8_t* block) {
  const SignedSuperBlock<IntegerCodes<-32, 31>, 16, -128> fit(x, weights, {9, 0.003f});
  std::memset(block, 0, 192);
  for (int i = 0; i < kSuperBlock; ++i) {
    const int j = i / 32, q = static_cast<int>(fit.codes[i]) + 32;
    block[j / 4 * 64 + j % 2 * 32 + i % 32] |= static_cast<uint8_t>((q & 15) << j % 4 / 2 * 4);
    block[128 + j / 4 * 32 + i % 32] |= static_cast<uint8_t>((q >> 4) << j % 4 * 2);
  }
  for (int j = 0; j < 16; ++j) block[192 + j] = static_cast<uint8_t>(fit.scales[j]);
  store_half(fit.d, block + 208);
}

void encode_nearest(const float* x, uint8_t* block) {
  encode(x, nullptr, block);
}

}  // namespace

const FormatSpec format_q6_k = block_format<kSuperBlock, 210, decode_block>(DType::q6_k, "q6_k");
const Encoder encoder_q6_k = block_encoder<kSuperBlock, 210, encode_nearest, encode>(DType::q6_k);

}  // namespace hyalite
