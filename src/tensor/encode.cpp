#include "tensor/encode.h"

#include <cmath>
#include <cstring>
#include <string>

#include "base/error.h"
#include "tensor/half.h"

namespace hyalite {
namespace {

constexpr int kQ8Block = 32;

template <class Convert>
void encode_16(const float* values, int64_t elements, uint8_t* out, Convert convert) {
  for (int64_t i = 0; i < elements; ++i) {
    uint16_t bits = convert(values[i]);
    std::memcpy(out + 2 * i, &bits, sizeof bits);
  }
}

// d = max|x| / 127 kept as f16, then 32 values round(x / d); the quotient uses d before it was rounded to f16, and halves round away from
// zero.
void encode_q8_0(const float* values, int64_t elements, uint8_t* out) {
  for (int64_t begin = 0; begin < elements; begin += kQ8Block, out += 2 + kQ8Block) {
    float largest = 0;
    for (int i = 0; i < kQ8Block; ++i) largest = std::fmax(largest, std::fabs(values[begin + i]));
    const float scale = largest / 127.0f, inverse = scale == 0 ? 0.0f : 1.0f / scale;
    const uint16_t bits = float_to_half(scale);
    std::memcpy(out, &bits, sizeof bits);
    for (int i = 0; i < kQ8Block; ++i) {
      const float rounded = std::round(values[begin + i] * inverse);
      // Beyond 127 only where an input was not finite or the scale is subnormal; converting it to an integer would be undefined.
      out[2 + i] = static_cast<uint8_t>(static_cast<int8_t>(std::fabs(rounded) <= 127.0f ? rounded : 0.0f));
    }
  }
}

}  // namespace

bool can_encode(DType dtype) {
  return dtype == DType::f32 || dtype == DType::f16 || dtype == DType::bf16 || dtype == DType::q8_0;
}

void encode(DType dtype, const float* values, int64_t elements, uint8_t* out) {
  HYALITE_CHECK(can_encode(dtype) && elements % format_of(dtype).block_elements == 0, std::string(format_of(dtype).name));
  switch (dtype) {
    case DType::f32: std::memcpy(out, values, static_cast<size_t>(elements) * sizeof(float)); break;
    case DType::f16: encode_16(values, elements, out, float_to_half); break;
    case DType::bf16: encode_16(values, elements, out, float_to_bf16); break;
    default: encode_q8_0(values, elements, out); break;
  }
}

}  // namespace hyalite
