// Parameter structs: an op's attributes as plain data, bound once when a plan is made, so that no kernel looks up a name.
// One struct per op that has any; OpSpec::bind fills it.
#pragma once

#include <cstdint>

namespace hyalite {

// rms_norm: y = w * x / sqrt(mean(x^2) + eps) over each run of len(w) columns.
struct RmsNormParams {
  float eps;
};

// scale: y = factor * x. softcap: y = cap * tanh(x / cap).
struct ScaleParams {
  float factor;
};

// rope: rotates the first 2 * len(freqs) dimensions of each head by position * freqs[i]; cos and sin are multiplied by `scale`.
struct RopeParams {
  int32_t head_dim;
  float scale;       // YaRN attention factor, else 1
  bool interleaved;  // pairs (2i, 2i+1), otherwise (i, i + n/2)
};

// grouped_query_attention, paged_attention_*: softmax(scale * q k^T) v with causal mask and optional window.
struct AttentionParams {
  int32_t heads, kv_heads, head_dim;
  float scale;
  int32_t window;  // 0: all earlier positions; otherwise a token sees itself and window - 1 before it
};

// fused_rmsnorm_qkv_rope, fused_rmsnorm_qkv_rope_append.
struct RmsNormQkvRopeParams {
  float eps;  // of the input norm and of the optional per-head q and k norms
  RopeParams rope;
};

enum class GateActivation : int32_t { silu, gelu_tanh };

// fused_glu: act(x Wg^T) * (x Wu^T).
struct GluParams {
  GateActivation activation;
};

// matmul, lm_head.
struct MatmulParams {
  int32_t planes;  // 2 where activations = "q8x2": rounded to int8, and what that left rounded to int8 again; otherwise 1
};

// Whether a linear op may round its activations: attribute `activations` = "f32" | "q8" | "q8x2" | "bf16" (set by quantisation-aware
// lowering). Only the planner reads it, and matmul's bind: "q8x2" keeps about 16 bits.

}  // namespace hyalite
