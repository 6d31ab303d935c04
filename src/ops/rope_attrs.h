// What rope and fused_rmsnorm_qkv_rope have in common: attributes head_dim, interleaved, scale and the operand freqs.
#pragma once

#include "ops/op_spec.h"
#include "ops/params.h"

namespace hyalite {

// Checks the attributes and that operand `freqs_index` is an f32 vector of at most head_dim / 2. Returns head_dim.
int64_t check_rope(const Problem& problem, size_t freqs_index);

RopeParams rope_params(const Attrs& attrs);

}  // namespace hyalite
