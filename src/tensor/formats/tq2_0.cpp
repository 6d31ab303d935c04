// tq2_0: 64 bytes of 2-bit values | half d. value = d * (q - 1).
#include "tensor/formats/format.h"

namespace hyalite {
namespace {

void decode_block(const uint8_t* block, float* out) {
  const float d = load_half(block + 64);
  for (int i = 0; i < kSuperBlock; ++i) {
    const int q = block[i / 128 * 32 + i % 32] >> i % 128 / 32 * 2 & 3;
    out[i] = d * static_cast<float>(q - 1);
  }
}

}  // namespace

const FormatSpec format_tq2_0 = block_format<kSuperBlock, 66, decode_block>(DType::tq2_0, "tq2_0");

}  // namespace hyalite
