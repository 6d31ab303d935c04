// tq1_0: 48 bytes of 5 ternary digits | 4 bytes of 4 | half d. A byte holds the fraction digits/3^5 in 1/256; value = d * (digit - 1).
#include "tensor/formats/format.h"

namespace hyalite {
namespace {

// `digits` digits of each of `count` bytes, digit-major; returns the end of what it wrote.
float* decode_digits(const uint8_t* bytes, int count, int digits, float d, float* out) {
  uint8_t power = 1;
  for (int digit = 0; digit < digits; ++digit, power *= 3) {
    for (int i = 0; i < count; ++i) {
      const auto fraction = static_cast<uint8_t>(bytes[i] * power);  // the leading digits fall off the top
      *out++ = d * static_cast<float>((fraction * 3 >> 8) - 1);
    }
  }
  return out;
}

void decode_block(const uint8_t* block, float* out) {
  const float d = load_half(block + 52);
  out = decode_digits(block, 32, 5, d, out);
  out = decode_digits(block + 32, 16, 5, d, out);
  decode_digits(block + 48, 4, 4, d, out);
}

}  // namespace

const FormatSpec format_tq1_0 = block_format<kSuperBlock, 54, decode_block>(DType::tq1_0, "tq1_0");

}  // namespace hyalite
