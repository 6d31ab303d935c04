// q6_k: 128 bytes of low nibbles | 64 bytes of high 2 bits | 16 signed scales | half d. value = (d * scale) * (q - 32).
#include "tensor/formats/format.h"

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

}  // namespace

const FormatSpec format_q6_k = block_format<kSuperBlock, 210, decode_block>(DType::q6_k, "q6_k");

}  // namespace hyalite
