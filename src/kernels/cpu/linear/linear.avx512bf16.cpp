// Linear ops. AVX-512 with bf16 dot products: bf16 weights and activations rounded to bf16.
#include "kernels/cpu/isa/avx512bf16.h"
#include "kernels/cpu/linear/variant_rows.h"

HYALITE_TARGET_BEGIN(HYALITE_AVX512BF16)
namespace hyalite::avx512bf16 {

inline constexpr int kTile = 8;
inline constexpr bool kPairs = false, kUnpacks = false;
inline constexpr LinearRates kRates{0, 1.9};

#include "kernels/cpu/linear/tile.inc"

#include "kernels/cpu/linear/bf16_rows.inc"

static constexpr RowTable kRows = bf16_rows();

#include "kernels/cpu/linear/prepare.inc"

#include "kernels/cpu/linear/matmul.inc"

#include "kernels/cpu/attention/append.inc"

#include "kernels/cpu/linear/heads.inc"

#include "kernels/cpu/linear/fused.inc"

}  // namespace hyalite::avx512bf16
HYALITE_TARGET_END

namespace hyalite {

HYALITE_BF16_LINEARS(avx512bf16, kAvx512 | kAvx512Bf16)

}  // namespace hyalite
