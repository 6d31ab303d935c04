// iq3_s: half d | 64 bytes of grid index | 8 bytes of ninth bits | 32 bytes of signs | 8 scale nibbles. value = d * (2 scale + 1) * grid *
// sign.
#include "tensor/formats/format.h"

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

}  // namespace

const FormatSpec format_iq3_s = block_format<kSuperBlock, 110, decode_block>(DType::iq3_s, "iq3_s");

}  // namespace hyalite
