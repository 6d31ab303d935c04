// q2_k: 16 scale/minimum nibble pairs | 64 bytes of 2-bit values | half d | half dmin. value = (d * scale) * q - (dmin * min).
#include "tensor/formats/format.h"

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

}  // namespace

const FormatSpec format_q2_k = block_format<kSuperBlock, 84, decode_block>(DType::q2_k, "q2_k");

}  // namespace hyalite
