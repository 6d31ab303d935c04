// q8_1: half scale | half (scale * sum of q) | 32 signed bytes. value = d * q. The sum serves dot products and is not decoded.
#include "tensor/formats/format.h"

namespace hyalite {
namespace {

void decode_block(const uint8_t* block, float* out) {
  const float d = load_half(block);
  for (int i = 0; i < 32; ++i) out[i] = d * static_cast<float>(static_cast<int8_t>(block[4 + i]));
}

}  // namespace

const FormatSpec format_q8_1 = block_format<32, 36, decode_block>(DType::q8_1, "q8_1");

}  // namespace hyalite
