// q4_k: half d | half dmin | 8 scales and minima of 6 bits in 12 bytes | 128 bytes of nibbles. value = (d * scale) * q - (dmin * min).
#include "tensor/formats/format.h"

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

}  // namespace

const FormatSpec format_q4_k = block_format<kSuperBlock, 144, decode_block>(DType::q4_k, "q4_k");

}  // namespace hyalite
