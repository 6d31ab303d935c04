// tq1_0: 48 bytes of 5 ternary digits | 4 bytes of 4 | half d. A byte holds the fraction digits/3^5 in 1/256; value = d * (digit - 1).
#include "tensor/formats/encoder.h"
#include "tensor/formats/fit.h"

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

// `count` bytes of `digits` digits each, the first digit most significant.
void pack_digits(const uint8_t* from, int count, int digits, uint8_t* out) {
  for (int i = 0; i < count; ++i) {
    int value = 0;
    for (int digit = 0; digit < 5; ++digit) value = value * 3 + (digit < digits ? from[digit * count + i] : 0);
    out[i] = static_cast<uint8_t>((value * 256 + 242) / 243);
  }
}

void pack(const float* x, float inverse, uint8_t* block) {
  uint8_t digits[kSuperBlock];
  ternary_digits(x, inverse, digits);
  pack_digits(digits, 32, 5, block);
  pack_digits(digits + 160, 16, 5, block + 32);
  pack_digits(digits + 240, 4, 4, block + 48);
}

void encode_nearest(const float* x, uint8_t* block) {
  const float d = __builtin_fabsf(extreme_of<kSuperBlock>(x));
  store_half(d, block + 52);
  pack(x, inverse_of(d), block);
}

void encode_search(const float* x, const float* w, uint8_t* block) {
  pack(x, inverse_of(store_half(fit_ternary(x, w), block + 52)), block);
}

}  // namespace

const FormatSpec format_tq1_0 = block_format<kSuperBlock, 54, decode_block>(DType::tq1_0, "tq1_0");
const Encoder encoder_tq1_0 = block_encoder<kSuperBlock, 54, encode_nearest, encode_search>(DType::tq1_0);

}  // namespace hyalite
