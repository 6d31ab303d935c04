// mxfp4: power-of-two scale e8m0 | 16 bytes of fp4 nibbles. value = 2^(e-127) * fp4.
#include "tensor/formats/format.h"

namespace hyalite {
namespace {

void decode_block(const uint8_t* block, float* out) {
  const float d = half_of_e8m0(block[0]);  // the code book is doubled
  for (int i = 0; i < 32; ++i) out[i] = d * static_cast<float>(kFp4Doubled[nibble_of_32(block + 1, i)]);
}

}  // namespace

const FormatSpec format_mxfp4 = block_format<32, 17, decode_block>(DType::mxfp4, "mxfp4");

}  // namespace hyalite
