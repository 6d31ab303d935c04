// q8_0: half scale | 32 signed bytes. value = d * q.
#include "tensor/formats/format.h"

namespace hyalite {
namespace {

void decode_block(const uint8_t* block, float* out) {
  const float d = load_half(block);
  for (int i = 0; i < 32; ++i) out[i] = d * static_cast<float>(static_cast<int8_t>(block[2 + i]));
}

}  // namespace

const FormatSpec format_q8_0 = block_format<32, 34, decode_block>(DType::q8_0, "q8_0");

}  // namespace hyalite
