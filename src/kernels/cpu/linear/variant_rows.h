// The KernelVariant rows of one instruction set's linear kernels, to be used below its namespace. Rows stand in cpu/variants.inc too.
#pragma once

#include "kernels/cpu/linear/problem.h"
#include "kernels/kernel_variants.h"

// `rounds` is KernelVariant::rounds_alone, `how` the function of linear:: that describes a step.
#define HYALITE_LINEAR(id, name, op, refuses, isa, features, phases, bound, scratch, rounds, how) \
  constinit const KernelVariant variant_##id##_##isa{name "." #isa,                               \
                                                     #op,                                         \
                                                     "hyalite",                                   \
                                                     features,                                    \
                                                     phases,                                      \
                                                     "rows16",                                    \
                                                     bound,                                       \
                                                     linear::refuses,                             \
                                                     linear::seconds<isa::kRates>,                \
                                                     scratch,                                     \
                                                     isa::run_##op,                               \
                                                     rounds,                                      \
                                                     linear::how<isa::kTile, isa::kPairs, isa::kUnpacks>};

#define HYALITE_MATMUL(format, isa, features, bound)                                                                                    \
  HYALITE_LINEAR(matmul_##format, "matmul." #format, matmul, refuses_matmul<DType::format>, isa, features, 2, bound, linear::workspace, \
                 false, how)

#define HYALITE_DENSE_MATMULS(isa, features)              \
  HYALITE_MATMUL(f32, isa, features, linear::kDenseBound) \
  HYALITE_MATMUL(f16, isa, features, linear::kDenseBound) \
  HYALITE_MATMUL(bf16, isa, features, linear::kDenseBound)

#define HYALITE_INT8_MATMULS(isa, features) \
  HYALITE_RUN_MATMULS(isa, features)        \
  HYALITE_MATMUL(q6_k, isa, features, linear::kInt8Bound)

// Those of formats with one scale for 32 columns.
#define HYALITE_RUN_MATMULS(isa, features)                    \
  HYALITE_MATMUL(q4_0, isa, features, linear::kInt8Bound)     \
  HYALITE_MATMUL(q4_1, isa, features, linear::kInt8Bound)     \
  HYALITE_MATMUL(q5_0, isa, features, linear::kInt8Bound)     \
  HYALITE_MATMUL(q5_1, isa, features, linear::kInt8Bound)     \
  HYALITE_MATMUL(q8_0, isa, features, linear::kInt8Bound)     \
  HYALITE_MATMUL(q4_k, isa, features, linear::kInt8Bound)     \
  HYALITE_MATMUL(q5_k, isa, features, linear::kInt8Bound)     \
  HYALITE_MATMUL(iq4_nl, isa, features, linear::kInt8Bound)   \
  HYALITE_MATMUL(iq4_xs, isa, features, linear::kInt8Bound)   \
  HYALITE_MATMUL(mxfp4, isa, features, linear::kInt8Bound)    \
  HYALITE_MATMUL(int8, isa, features, linear::kInt8Bound)     \
  HYALITE_MATMUL(int4_g32, isa, features, linear::kInt8Bound) \
  HYALITE_MATMUL(int4_g64, isa, features, linear::kInt8Bound) \
  HYALITE_MATMUL(int4_g128, isa, features, linear::kInt8Bound)

#define HYALITE_LM_HEAD(format, planes, isa, features)                                            \
  constinit const KernelVariant variant_lm_head_##format##_##isa{"lm_head." #format "." #isa,     \
                                                                 "lm_head",                       \
                                                                 "hyalite",                       \
                                                                 features,                        \
                                                                 3,                               \
                                                                 "planes16",                      \
                                                                 linear::kInt8TwiceBound,         \
                                                                 linear::refuses_lm_head<planes>, \
                                                                 linear::seconds<isa::kRates>,    \
                                                                 linear::lm_head_workspace,       \
                                                                 isa::run_lm_head<planes>,        \
                                                                 false,                           \
                                                                 linear::how_lm_head<isa::kTile, isa::kUnpacks>};

#define HYALITE_LM_HEADS(isa, features)             \
  HYALITE_LM_HEAD(q8_0, kPlanesQ8_0, isa, features) \
  HYALITE_LM_HEAD(q6_k, kPlanesQ6_K, isa, features)

#define HYALITE_FUSED_LINEAR(op, isa, features, phases, bound, scratch, how) \
  HYALITE_LINEAR(op, #op, op, refuses_##op, isa, features, phases, bound, scratch, false, how)

#define HYALITE_BF16_LINEAR(name, op, suffix, isa, features, phases, bound, scratch, how) \
  HYALITE_LINEAR(suffix, name, op, refuses_bf16_##op, isa, features, phases, bound, scratch, true, how)

#define HYALITE_BF16_LINEARS(isa, features)                                                                                            \
  HYALITE_BF16_LINEAR("matmul.bf16", matmul, matmul_bf16, isa, features, 2, linear::kBf16Bound, linear::workspace, how)                \
  HYALITE_BF16_LINEAR("fused_qkv", fused_qkv, fused_qkv, isa, features, 2, linear::kBf16Bound, linear::workspace, how)                 \
  HYALITE_BF16_LINEAR("fused_rmsnorm_qkv_rope", fused_rmsnorm_qkv_rope, fused_rmsnorm_qkv_rope, isa, features, 3, linear::kBf16Bound,  \
                      linear::normed_workspace, how)                                                                                   \
  HYALITE_BF16_LINEAR("fused_rmsnorm_qkv_rope_append", fused_rmsnorm_qkv_rope_append, fused_rmsnorm_qkv_rope_append, isa, features, 3, \
                      linear::kBf16Bound, linear::append_workspace, how_append)                                                        \
  HYALITE_BF16_LINEAR("fused_glu", fused_glu, fused_glu, isa, features, 2, linear::kBf16GluBound, linear::workspace, how_fused_glu)

#define HYALITE_FUSED_LINEARS(isa, features)                                                                                            \
  HYALITE_FUSED_LINEAR(fused_qkv, isa, features, 2, linear::kInt8Bound, linear::workspace, how)                                         \
  HYALITE_FUSED_LINEAR(fused_rmsnorm_qkv_rope, isa, features, 3, linear::kInt8NormedBound, linear::normed_workspace, how)               \
  HYALITE_FUSED_LINEAR(fused_rmsnorm_qkv_rope_append, isa, features, 3, linear::kInt8NormedBound, linear::append_workspace, how_append) \
  HYALITE_FUSED_LINEAR(fused_glu, isa, features, 2, linear::kInt8GluBound, linear::workspace, how_fused_glu)
