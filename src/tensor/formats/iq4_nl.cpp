// iq4_nl: half d | 16 bytes of nibbles into a code book. value = d * code[q].
#include "tensor/formats/format.h"

namespace hyalite {
namespace {

void decode_block(const uint8_t* block, float* out) {
  const float d = load_half(block);
  for (int i = 0; i < 32; ++i) out[i] = d * static_cast<float>(kIq4Values[nibble_of_32(block + 2, i)]);
}

}  // namespace

const FormatSpec format_iq4_nl = block_format<32, 18, decode_block>(DType::iq4_nl, "iq4_nl");

}  // namespace hyalite
