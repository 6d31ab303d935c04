#include "passes/pipelines.h"

namespace hyalite {

// Each row declares and lists `const Pass pass_<name>` of <name>.cpp. Order is meaning: fusions look for what the rows above them left.
#define PIPELINE(PASS)                \
  PASS(shape_inference)               \
  PASS(constant_folding)              \
  PASS(cse)                           \
  PASS(dce)                           \
  PASS(qkv_fusion)                    \
  PASS(rmsnorm_qkv_rope_fusion)       \
  PASS(swiglu_fusion)                 \
  PASS(residual_rmsnorm_fusion)       \
  PASS(prefill_decode_specialisation) \
  PASS(cache_append_fusion)           \
  PASS(quantised_lowering)            \
  PASS(head_screening)                \
  PASS(layout_conversion)             \
  PASS(hardware_hints)

#define PASS(name) extern const Pass pass_##name;
PIPELINE(PASS)
#undef PASS

std::span<const Pass* const> default_pipeline() {
#define PASS(name) &pass_##name,
  static const Pass* const passes[] = {PIPELINE(PASS)};
#undef PASS
  return passes;
}

}  // namespace hyalite
