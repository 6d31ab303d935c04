// q4_0: half scale | 16 bytes of nibbles. value = d * (q - 8).
#include "tensor/formats/format.h"

namespace hyalite {
namespace {

void decode_block(const uint8_t* block, float* out) {
  const float d = load_half(block);
  for (int i = 0; i < 32; ++i) out[i] = d * static_cast<float>(nibble_of_32(block + 2, i) - 8);
}

}  // namespace

const FormatSpec format_q4_0 = block_format<32, 18, decode_block>(DType::q4_0, "q4_0");

}  // namespace hyalite
