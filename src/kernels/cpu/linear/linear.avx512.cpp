// Linear ops. AVX-512 without int8 dot products: dense weights only.
#include "kernels/cpu/isa/avx512.h"
#include "kernels/cpu/linear/variant_rows.h"

HYALITE_TARGET_BEGIN(HYALITE_AVX512)
namespace hyalite::avx512 {

inline constexpr int kTile = 8;
inline constexpr bool kPairs = false, kUnpacks = false;
inline constexpr LinearRates kRates{0, 0.98};

#include "kernels/cpu/linear/tile.inc"

#include "kernels/cpu/linear/dense_rows.inc"

static constexpr RowTable kRows = dense_rows();

#include "kernels/cpu/linear/prepare.inc"

#include "kernels/cpu/linear/matmul.inc"

}  // namespace hyalite::avx512
HYALITE_TARGET_END

namespace hyalite {

HYALITE_DENSE_MATMULS(avx512, kAvx512)

}  // namespace hyalite
