// q5_0: half scale | 32 fifth bits | 16 bytes of nibbles. value = d * (q - 16).
#include "tensor/formats/format.h"

namespace hyalite {
namespace {

void decode_block(const uint8_t* block, float* out) {
  const float d = load_half(block);
  const uint32_t high = load_u32(block + 2);
  for (int i = 0; i < 32; ++i) {
    const int q = nibble_of_32(block + 6, i) | static_cast<int>(high >> i & 1) << 4;
    out[i] = d * static_cast<float>(q - 16);
  }
}

}  // namespace

const FormatSpec format_q5_0 = block_format<32, 22, decode_block>(DType::q5_0, "q5_0");

}  // namespace hyalite
