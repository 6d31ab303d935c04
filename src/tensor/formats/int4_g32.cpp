// int4_g32: 32 columns share a scale and a zero point (format.h).
#include "tensor/formats/format.h"

namespace hyalite {

const FormatSpec format_int4_g32 = int4_format<32>(DType::int4_g32, "int4_g32");

}  // namespace hyalite
