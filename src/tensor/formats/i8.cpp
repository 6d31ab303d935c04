// i8: Two's complement bytes.
#include "tensor/formats/format.h"

namespace hyalite {
namespace {

float load(const uint8_t* at) {
  return static_cast<int8_t>(*at);
}

}  // namespace

const FormatSpec format_i8 = integer_format<1, load>(DType::i8, "i8");

}  // namespace hyalite
