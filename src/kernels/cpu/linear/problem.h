// The planner's side of the linear variants: what they refuse, how long they take, how much workspace they want. Looks at types only.
#pragma once

#include <string>

#include "kernels/cpu/linear/linear.h"
#include "kernels/cpu/linear/plane_format.h"

namespace hyalite {

// Which formats an instruction set's kernels multiply, and how fast, as shares of the machine's measured rates.
struct LinearRates {
  double int8;  // of Machine::int8_ops_per_s; 0 where there are no int8 kernels
  double f32;   // of Machine::f32_flops_per_s
};

// How an instruction set's kernels take the rows of a step.
struct LinearTiles {
  int tile;      // most tokens of a tile
  bool pairs;    // int8 tiles of 4 tokens take two groups of weight rows at once
  bool unpacks;  // int8 codes of less than a byte are unpacked once for many tiles
};

namespace linear {

// `only` is the weight format of a matmul variant.
template <DType only>
std::string refuses_matmul(const Problem& problem);
template <PlaneFormat format>
std::string refuses_lm_head(const Problem& problem);
std::string refuses_fused_qkv(const Problem& problem);
std::string refuses_fused_rmsnorm_qkv_rope(const Problem& problem);
std::string refuses_fused_rmsnorm_qkv_rope_append(const Problem& problem);
std::string refuses_fused_glu(const Problem& problem);
// Of variants that round activations to bf16: all weights are bf16, and the op allows it.
std::string refuses_bf16_matmul(const Problem& problem);
std::string refuses_bf16_fused_qkv(const Problem& problem);
std::string refuses_bf16_fused_rmsnorm_qkv_rope(const Problem& problem);
std::string refuses_bf16_fused_rmsnorm_qkv_rope_append(const Problem& problem);
std::string refuses_bf16_fused_glu(const Problem& problem);

template <const LinearRates& rates>
double seconds(const Problem& problem, const Machine& machine);

// In words, for a step of the problem's size.
template <int tile, bool pairs, bool unpacks>
std::string how(const Problem& problem);  // matmul, fused_qkv, fused_rmsnorm_qkv_rope
template <int tile, bool pairs, bool unpacks>
std::string how_append(const Problem& problem);  // fused_rmsnorm_qkv_rope_append
template <int tile, bool pairs, bool unpacks>
std::string how_fused_glu(const Problem& problem);
template <int tile, bool unpacks>
std::string how_lm_head(const Problem& problem);

size_t workspace(const Problem& problem);  // matmul, fused_qkv, fused_glu
size_t lm_head_workspace(const Problem& problem);
size_t normed_workspace(const Problem& problem);  // fused_rmsnorm_qkv_rope
size_t append_workspace(const Problem& problem);  // fused_rmsnorm_qkv_rope_append

std::string refuse_weight(const Problem& problem, DType only);
std::string refuse_planes(const Problem& problem, const PlaneFormat& format);
std::string describe_tiles(const Problem& problem, const LinearTiles& tiles);
std::string describe_appending_tiles(const Problem& problem, const LinearTiles& tiles);
std::string describe_gated_tiles(const Problem& problem, const LinearTiles& tiles);
std::string describe_screening(const Problem& problem, const LinearTiles& tiles);
double seconds_at(const Problem& problem, const Machine& machine, const LinearRates& rates);

template <DType only>
std::string refuses_matmul(const Problem& problem) {
  return refuse_weight(problem, only);
}
template <PlaneFormat format>
std::string refuses_lm_head(const Problem& problem) {
  return refuse_planes(problem, format);
}
template <const LinearRates& rates>
double seconds(const Problem& problem, const Machine& machine) {
  return seconds_at(problem, machine, rates);
}
template <int tile, bool pairs, bool unpacks>
std::string how(const Problem& problem) {
  return describe_tiles(problem, {tile, pairs, unpacks});
}
template <int tile, bool pairs, bool unpacks>
std::string how_append(const Problem& problem) {
  return describe_appending_tiles(problem, {tile, pairs, unpacks});
}
template <int tile, bool pairs, bool unpacks>
std::string how_fused_glu(const Problem& problem) {
  return describe_gated_tiles(problem, {tile, pairs, unpacks});
}
template <int tile, bool unpacks>
std::string how_lm_head(const Problem& problem) {
  return describe_screening(problem, {tile, false, unpacks});
}

// int8 activations in blocks of 32 leave each output a relative error of about 0.5% of the root mean square, and the largest of a tensor
// some five times that; norm weights that spread make blocks uneven, and a gate multiplies two such errors.
inline constexpr double kInt8Bound = 0.05, kInt8TwiceBound = 0.0005, kInt8NormedBound = 0.15, kInt8GluBound = 0.25, kDenseBound = 2e-5;
// Activations in bf16 leave each output a relative error of about 0.1% of the root mean square; a gate again multiplies two.
inline constexpr double kBf16Bound = 0.01, kBf16GluBound = 0.05;

}  // namespace linear
}  // namespace hyalite
