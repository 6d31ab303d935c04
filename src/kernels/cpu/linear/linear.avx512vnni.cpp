// Linear ops. AVX-512 with int8 dot products.
#include "kernels/cpu/isa/avx512vnni.h"
#include "kernels/cpu/linear/variant_rows.h"

HYALITE_TARGET_BEGIN(HYALITE_AVX512VNNI)
namespace hyalite::avx512vnni {

inline constexpr int kTile = 12;
inline constexpr LinearRates kRates{0.63, 0.98};

#include "kernels/cpu/linear/int8_linear.inc"

}  // namespace hyalite::avx512vnni
HYALITE_TARGET_END

namespace hyalite {

HYALITE_INT8_MATMULS(avx512vnni, kAvx512 | kAvx512Vnni)
HYALITE_LM_HEADS(avx512vnni, kAvx512 | kAvx512Vnni)
HYALITE_FUSED_LINEARS(avx512vnni, kAvx512 | kAvx512Vnni)

}  // namespace hyalite
