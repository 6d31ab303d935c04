// int4_g128: 128 columns share a scale and a zero point (format.h).
#include "tensor/formats/format.h"

namespace hyalite {

const FormatSpec format_int4_g128 = int4_format<128>(DType::int4_g128, "int4_g128");

}  // namespace hyalite
