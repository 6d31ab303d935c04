// What rope and fused_rmsnorm_qkv_rope have in common: attributes head_dim, interleaved, scale and the operand freqs. And what may divide
// those frequencies.
#pragma once

#include <span>
#include <string>

#include "ops/op_spec.h"
#include "ops/params.h"

namespace hyalite {

// Checks the attributes and that operand `freqs_index` is an f32 vector of at most head_dim / 2. Returns head_dim.
int64_t check_rope(const Problem& problem, size_t freqs_index);

RopeParams rope_params(const Attrs& attrs);

// The least factor that a frequency may be divided by. Published factors are 1 or more, but for MiniCPM 4's first, 0.9978. Frequencies stay
// below 4/3, so that kernels can count a position's angle in quarter turns (kernels/cpu/isa/math.inc: sincos).
inline constexpr float kMinRopeFactor = 0.75f;

// "factor 3 is -1, expected 0.75 or more"; empty where all are finite and large enough.
std::string fault_of_factors(std::span<const float> factors);

}  // namespace hyalite
