// Linear ops. AVX-512 with int8 dot products, and the tile unit for tiles of 16 tokens.
#include "kernels/cpu/isa/amx.h"
#include "kernels/cpu/linear/variant_rows.h"

HYALITE_TARGET_BEGIN(HYALITE_AMX)
namespace hyalite::amx {

inline constexpr int kTile = kTileUnitRows;
inline constexpr LinearRates kRates{0.8, 0.98};

#include "kernels/cpu/linear/int8_linear.inc"

#include "kernels/cpu/linear/amx_rows.inc"

}  // namespace hyalite::amx
HYALITE_TARGET_END

namespace hyalite {

HYALITE_RUN_MATMULS(amx, kAvx512 | kAvx512Vnni | kAmxInt8)
HYALITE_LM_HEAD(q8_0, kPlanesQ8_0, amx, kAvx512 | kAvx512Vnni | kAmxInt8)
HYALITE_FUSED_LINEARS(amx, kAvx512 | kAvx512Vnni | kAmxInt8)

}  // namespace hyalite
