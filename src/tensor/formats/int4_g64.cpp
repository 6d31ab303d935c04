// int4_g64: 64 columns share a scale and a zero point (format.h).
#include "tensor/formats/format.h"

namespace hyalite {

const FormatSpec format_int4_g64 = int4_format<64>(DType::int4_g64, "int4_g64");

}  // namespace hyalite
