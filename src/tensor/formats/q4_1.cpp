// q4_1: half scale | half minimum | 16 bytes of nibbles. value = d * q + m.
#include "tensor/formats/format.h"

namespace hyalite {
namespace {

void decode_block(const uint8_t* block, float* out) {
  const float d = load_half(block), m = load_half(block + 2);
  for (int i = 0; i < 32; ++i) out[i] = d * static_cast<float>(nibble_of_32(block + 4, i)) + m;
}

}  // namespace

const FormatSpec format_q4_1 = block_format<32, 20, decode_block>(DType::q4_1, "q4_1");

}  // namespace hyalite
