// mxfp4: power-of-two scale e8m0 | 16 bytes of fp4 nibbles. value = 2^(e-127) * fp4.
#include <algorithm>
#include <cmath>

#include "tensor/formats/encoder.h"

namespace hyalite {
namespace {

void decode_block(const uint8_t* block, float* out) {
  const float d = half_of_e8m0(block[0]);  // the code book is doubled
  for (int i = 0; i < 32; ++i) out[i] = d * static_cast<float>(kFp4Doubled[nibble_of_32(block + 1, i)]);
}

// The index whose value is nearest; the lowest of several.
uint8_t nearest_index(float x, float d) {
  int best = 0;
  for (int i = 1; i < 16; ++i)
    if (std::fabs(d * static_cast<float>(kFp4Doubled[i]) - x) < std::fabs(d * static_cast<float>(kFp4Doubled[best]) - x)) best = i;
  return static_cast<uint8_t>(best);
}

void pack(const float* x, int exponent, uint8_t* block) {
  block[0] = static_cast<uint8_t>(exponent);
  uint8_t indexes[32];
  for (int i = 0; i < 32; ++i) indexes[i] = nearest_index(x[i], half_of_e8m0(block[0]));
  pack_nibbles_of_32(indexes, block + 1);
}

// The scale that puts the largest magnitude between 4 and 8; the largest code is 6.
int usual_exponent(const float* x) {
  float largest = 0;
  for (int i = 0; i < 32; ++i) largest = std::fmax(largest, std::fabs(x[i]));
  if (!(largest > 0) || !std::isfinite(largest)) return 0;
  int exponent;
  std::frexp(largest, &exponent);
  return std::clamp(exponent - 1 - 2 + 127, 0, 254);
}

float error_at(const float* x, const float* w, int exponent) {
  const float d = half_of_e8m0(static_cast<uint8_t>(exponent));
  float error = 0;
  for (int i = 0; i < 32; ++i) {
    const float off = d * static_cast<float>(kFp4Doubled[nearest_index(x[i], d)]) - x[i];
    error += w[i] * off * off;
  }
  return error;
}

void encode_nearest(const float* x, uint8_t* block) {
  pack(x, usual_exponent(x), block);
}

void encode_search(const float* x, const float* w, uint8_t* block) {
  const int usual = usual_exponent(x);
  int best = usual;
  for (int exponent : {usual - 1, usual + 1})
    if (exponent >= 0 && exponent < 255 && error_at(x, w, exponent) < error_at(x, w, best)) best = exponent;
  pack(x, best, block);
}

}  // namespace

const FormatSpec format_mxfp4 = block_format<32, 17, decode_block>(DType::mxfp4, "mxfp4");
const Encoder encoder_mxfp4 = block_encoder<32, 17, encode_nearest, encode_search>(DType::mxfp4);

}  // namespace hyalite
