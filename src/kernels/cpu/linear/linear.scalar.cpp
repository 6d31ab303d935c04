// Linear ops. One lane, plain C++: the oracle of the other targets.
#include "kernels/cpu/isa/scalar.h"
#include "kernels/cpu/linear/variant_rows.h"

namespace hyalite::scalar {

inline constexpr int kTile = 4;
inline constexpr LinearRates kRates{0.012, 0.02};

#include "kernels/cpu/linear/int8_linear.inc"

}  // namespace hyalite::scalar

namespace hyalite {

HYALITE_DENSE_MATMULS(scalar, 0)
HYALITE_INT8_MATMULS(scalar, 0)
HYALITE_LM_HEADS(scalar, 0)
HYALITE_FUSED_LINEARS(scalar, 0)

}  // namespace hyalite
