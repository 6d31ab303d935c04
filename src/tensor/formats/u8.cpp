// u8: Unsigned bytes.
#include "tensor/formats/format.h"

namespace hyalite {
namespace {

float load(const uint8_t* at) {
  return *at;
}

}  // namespace

const FormatSpec format_u8 = integer_format<1, load>(DType::u8, "u8");

}  // namespace hyalite
