// Linear ops. AVX2 with FMA and F16C.
#include "kernels/cpu/isa/avx2.h"
#include "kernels/cpu/linear/variant_rows.h"

HYALITE_TARGET_BEGIN(HYALITE_AVX2)
namespace hyalite::avx2 {

inline constexpr int kTile = 4;
inline constexpr LinearRates kRates{0.26, 0.9};

#include "kernels/cpu/linear/int8_linear.inc"

}  // namespace hyalite::avx2
HYALITE_TARGET_END

namespace hyalite {

HYALITE_DENSE_MATMULS(avx2, kAvx2)
HYALITE_INT8_MATMULS(avx2, kAvx2)
HYALITE_LM_HEADS(avx2, kAvx2)
HYALITE_FUSED_LINEARS(avx2, kAvx2)

}  // namespace hyalite
