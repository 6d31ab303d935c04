// i16: 16-bit integers.
#include "tensor/formats/format.h"

namespace hyalite {
namespace {

float load(const uint8_t* at) {
  return static_cast<int16_t>(load_u16(at));
}

}  // namespace

const FormatSpec format_i16 = integer_format<2, load>(DType::i16, "i16");

}  // namespace hyalite
