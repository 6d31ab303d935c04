// nvfp4: 4 unsigned e4m3 scales | 4 x 8 bytes of fp4 nibbles, one scale for 16 values. value = scale * fp4.
#include "tensor/formats/format.h"

namespace hyalite {
namespace {

// Half of the scale, because the code book is doubled. The sign bit is ignored, except that 0xff is a number and 0x7f, which would be NaN,
// zero.
float half_of_ue4m3(uint8_t value) {
  if (value == 0x7f) return 0;
  if ((value & 0x7f) == 0x7f) return 240;
  return f8_e4m3_to_float(value & 0x7f) * 0.5f;
}

void decode_block(const uint8_t* block, float* out) {
  for (int j = 0; j < 4; ++j) {
    const float d = half_of_ue4m3(block[j]);
    const uint8_t* qs = block + 4 + j * 8;
    for (int i = 0; i < 16; ++i) out[j * 16 + i] = d * static_cast<float>(kFp4Doubled[qs[i % 8] >> i / 8 * 4 & 15]);
  }
}

}  // namespace

const FormatSpec format_nvfp4 = block_format<64, 36, decode_block>(DType::nvfp4, "nvfp4");

}  // namespace hyalite
