// Declares `variant_<name>` for every row of cpu/variants.inc. For the files that define them and the registry; others use cpu_variants().
#pragma once

#include "kernels/kernel_variant.h"

namespace hyalite {

#define VARIANT(name) extern const KernelVariant variant_##name;
#include "kernels/cpu/variants.inc"
#undef VARIANT

}  // namespace hyalite
