// The canonical description of a decoder-only model. Importers translate every file format's fields into it; the family builders and
// nothing else read it. Equations: shared sources named in docs/models.md.
//
// Canonical tensor names (shape [rows = outputs, columns = inputs]):
//   token_embd [vocab, hidden]          output_norm [hidden]        output [vocab, hidden] (absent where tied)
//   blk.N.attn_norm [hidden]            blk.N.attn_q [heads*head_dim, hidden]      blk.N.attn_k, attn_v [kv_heads*head_dim, hidden]
//   blk.N.attn_q.bias, attn_k.bias, attn_v.bias (qkv_bias)           blk.N.attn_output [hidden, heads*head_dim]
//   blk.N.attn_output.bias [hidden] (attention_output_bias)
//   blk.N.attn_q_norm, attn_k_norm [head_dim] (qk_norm)              blk.N.post_attention_norm, post_ffw_norm [hidden] (post_norms)
//   blk.N.ffn_norm [hidden]             blk.N.ffn_gate, ffn_up [intermediate, hidden]         blk.N.ffn_down [hidden, intermediate]
//   rope_factors [rotary_dim / 2] (optional: frequencies are divided by it)
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tensor/tensor.h"

namespace hyalite {

enum class RopeScaling { none, linear, llama3, yarn };

// Rotary embedding of one kind of layer. Formulas: transformers 5.23 modeling_rope_utils.
struct RopeConfig {
  double theta = 10000;
  int rotary_dim = 0;        // dimensions of a head that rotate; even
  bool interleaved = false;  // pairs (2i, 2i+1) as GGUF stores llama; otherwise (i, i + rotary_dim/2)
  RopeScaling scaling = RopeScaling::none;
  double factor = 1;                                 // linear, llama3, yarn
  double low_freq_factor = 1, high_freq_factor = 4;  // llama3
  int64_t original_context = 0;                      // llama3, yarn
  double beta_fast = 32, beta_slow = 1;              // yarn
  double attention_factor = 1;                       // yarn: multiplies cos and sin; resolved by the importer
  bool truncate = true;                              // yarn: floor/ceil of the correction range
  bool has_factors = false;                          // the tensor rope_factors is there
};

enum class Activation { silu, gelu_tanh };

struct ModelConfig {
  std::string family;  // row of models/families.inc: "llama", "qwen2", "qwen3", "gemma3"
  std::string name;    // from the file, for people
  int64_t layers = 0, hidden = 0, intermediate = 0, heads = 0, kv_heads = 0, head_dim = 0, vocab = 0;
  int64_t context_length = 0;  // positions the model was made for
  double norm_eps = 1e-5;
  bool tied_embeddings = false;
  bool qkv_bias = false, attention_output_bias = false, qk_norm = false, post_norms = false;
  Activation activation = Activation::silu;
  double attention_scale = 0;        // resolved: head_dim^-0.5 unless the model says otherwise
  double embedding_scale = 1;        // gemma: sqrt(hidden)
  double final_logit_softcap = 0;    // 0: none
  RopeConfig rope;                   // full-attention layers
  RopeConfig local_rope;             // sliding layers; equal to rope where the model has one kind
  int64_t sliding_window = 0;        // 0: none. A token sees itself and the sliding_window - 1 before it.
  std::vector<bool> sliding_layers;  // by layer; empty: none slides
};

// A tensor that a family needs.
struct TensorSpec {
  std::string name;  // canonical
  std::vector<int64_t> dims;
};

// Throws Error{invalid_model} where a field is absent, out of range or does not fit the others (heads not a multiple of kv_heads, odd
// rotary_dim, more than 2^14 layers, ...). `where` names the file in the message.
void check_config(const ModelConfig& config, const std::string& where);

// Every tensor the model has, in file order of a usual checkpoint. REQUIRES: check_config passed.
std::vector<TensorSpec> tensor_specs(const ModelConfig& config);

}  // namespace hyalite
