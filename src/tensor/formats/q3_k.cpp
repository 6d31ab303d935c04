// q3_k: 32 bytes of high bits | 64 bytes of low 2 bits | 16 scales of 6 bits in 12 bytes | half d. value = d * (scale - 32) * (q - 4).
#include "tensor/formats/format.h"

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

}  // namespace

const FormatSpec format_q3_k = block_format<kSuperBlock, 110, decode_block>(DType::q3_k, "q3_k");

}  // namespace hyalite
