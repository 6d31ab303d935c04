// q3_k: 32 bytes of high bits | 64 bytes of low 2 bits | 16 scales of 6 bits in 12 bytes | half d. value = d * (scale - 32) * (q - 4).
#include "tensor/formats/super_block.h"

namespace hyalite {
namespace {

int unpack_scale(const uint8_t* packed, int j) {
  const int low = packed[j % 8] >> j / 8 * 4 & 15, high = packed[8 + j % 4] >> j / 4 * 2 & 3;
  return low | high << 4;
}

void decode_block(const uint8_t* block, float* out) {
  const uint8_t *high = block, *low = block + 32, *scales = block + 96;
  const float d = load_half(block + 108);
  for (int i = 0; i < kSuperBlock; ++i) {
    const float scale = d * static_cast<float>(unpack_scale(scales, i / 16) - 32);
    const int q = low[i / 128 * 32 + i % 32] >> i % 128 / 32 * 2 & 3;
    const int offset = high[i % 32] >> i / 32 & 1 ? 0 : 4;
    out[i] = scale * static_cast<float>(q - offset);
  }
}

void pack_scales(const int* scales, uint8_t* packed) {
  std::memset(packed, 0, 12);
  for (int j = 0; j < 16; ++j) {
    const int scale = scales[j] + 32;
    packed[j % 8] |= static_cast<uint8_t>((scale & 15) << j / 8 * 4);
    packed[8 + j % 4] |= static_cast<uint8_t>((scale >> 4) << j / 4 * 2);
  }
}

void encode(const float* x, const float* weights, uint8_t* block) {
  const SignedSuperBlock<IntegerCodes<-4, 3>, 16, -32> fit(x, weights, {9, 0.025f});
  uint8_t codes[kSuperBlock];
  std::memset(block, 0, 32);
  for (int i = 0; i < kSuperBlock; ++i) {
    codes[i] = static_cast<uint8_t>(fit.codes[i] + 4);
    block[i % 32] |= static_cast<uint8_t>((codes[i] >> 2) << i / 32);
  }
  pack_crumbs_of_256(codes, block + 32);
  pack_scales(fit.scales, block + 96);
  store_half(fit.d, block + 108);
}

void encode_nearest(const float* x, uint8_t* block) {
  encode(x, nullptr, block);
}

}  // namespace

const FormatSpec format_q3_k = block_format<kSuperBlock, 110, decode_block>(DType::q3_k, "q3_k");
const Encoder encoder_q3_k = block_encoder<kSuperBlock, 110, encode_nearest, encode>(DType::q3_k);

}  // namespace hyalite
