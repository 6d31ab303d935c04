// Linear ops. AVX2 with int8 dot products.
#include "kernels/cpu/isa/avxvnni.h"
#include "kernels/cpu/linear/variant_rows.h"

HYALITE_TARGET_BEGIN(HYALITE_AVXVNNI)
namespace hyalite::avxvnni {

inline constexpr int kTile = 4;
inline constexpr LinearRates kRates{0.33, 0.9};

#include "kernels/cpu/linear/int8_linear.inc"

}  // namespace hyalite::avxvnni
HYALITE_TARGET_END

namespace hyalite {

HYALITE_INT8_MATMULS(avxvnni, kAvx2 | kAvxVnni)
HYALITE_FUSED_LINEARS(avxvnni, kAvx2 | kAvxVnni)

}  // namespace hyalite
