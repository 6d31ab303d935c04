// Rows for an op whose body was instantiated on every target: equal but for name, needs, predicted time and code.
//
//   HYALITE_VARIANTS(rms_norm, kNorm, norm_variant)
//
// defines variant_rms_norm_avx512, _avx2 and _scalar from avx512::kNorm.rms_norm and so on; norm_variant<needs>(op, name, run) fills the
// row.
#pragma once

#include "kernels/kernel_variants.h"

#define HYALITE_VARIANTS(op, table, make)                                                                    \
  constinit const KernelVariant variant_##op##_avx512 = make<kAvx512>(#op, #op ".avx512", avx512::table.op); \
  constinit const KernelVariant variant_##op##_avx2 = make<kAvx2>(#op, #op ".avx2", avx2::table.op);         \
  constinit const KernelVariant variant_##op##_scalar = make<0>(#op, #op ".scalar", scalar::table.op);

namespace hyalite {

using KernelRun = void (*)(const OpArgs& args, WorkRange range);

// For `refuses`: names the first tensor operand that is not f32; empty where all are.
std::string refuse_unless_f32(const Problem& problem);

}  // namespace hyalite
