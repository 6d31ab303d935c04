// f64: 64-bit IEEE float, rounded to nearest.
#include "tensor/formats/format.h"

namespace hyalite {
namespace {

float load(const uint8_t* at) {
  return static_cast<float>(__builtin_bit_cast(double, load_u64(at)));
}

}  // namespace

const FormatSpec format_f64 = dense_format<8, load>(DType::f64, "f64");

}  // namespace hyalite
