// f16: IEEE binary16.
#include "tensor/formats/format.h"

namespace hyalite {
namespace {

float load(const uint8_t* at) {
  return load_half(at);
}

}  // namespace

const FormatSpec format_f16 = dense_format<2, load>(DType::f16, "f16");

}  // namespace hyalite
