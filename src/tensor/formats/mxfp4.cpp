// mxfp4: power-of-two scale e8m0 | 16 bytes of fp4 nibbles. value = 2^(e-127) * fp4.
#include "tensor/formats/format.h"

namespace hyalite {
namespace {

// 2^(e - 128), half of the scale because the code book is doubled; the two smallest are subnormal.
float half_of_e8m0(uint8_t e) {
  return float_from_bits(e < 2 ? 0x00200000u << e : static_cast<uint32_t>(e - 1) << 23);
}

void decode_block(const uint8_t* block, float* out) {
  const float d = half_of_e8m0(block[0]);
  for (int i = 0; i < 32; ++i) out[i] = d * static_cast<float>(kFp4Doubled[nibble_of_32(block + 1, i)]);
}

}  // namespace

const FormatSpec format_mxfp4 = block_format<32, 17, decode_block>(DType::mxfp4, "mxfp4");

}  // namespace hyalite
