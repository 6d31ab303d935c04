#include "models/config.h"

#include <cmath>

#include "base/error.h"
#include "ops/paged_cache.h"

namespace hyalite {
namespace {

constexpr int64_t kMaxLayers = 1 << 14, kMaxWidth = 1 << 24, kMaxHeads = kMaxKvHeads, kMaxVocab = 1 << 26;
constexpr int64_t kMaxContext = (int64_t{1} << 31) - 1;  // positions are counted in 32 bits

class Checker {
 public:
  explicit Checker(const std::string& where) : where_(where) {}

  [[noreturn]] void refuse(const std::string& message) const { throw Error(ErrorCode::invalid_model, where_, message); }

  void range(const char* field, int64_t value, int64_t low, int64_t high) const {
    if (value < low || value > high)
      refuse(std::string(field) + " is " + std::to_string(value) + ", expected " + std::to_string(low) + " to " + std::to_string(high));
  }

  void positive(const char* field, double value) const { above(field, value, 0); }

  void above(const char* field, double value, int low) const {
    if (!std::isfinite(value) || value <= low)
      refuse(std::string(field) + " is " + std::to_string(value) + ", expected a number above " + std::to_string(low));
  }

 private:
  const std::string& where_;
};

void check_rope(const Checker& check, const RopeConfig& rope, int64_t head_dim) {
  check.range("rotary dimension", rope.rotary_dim, 2, head_dim);
  if (rope.rotary_dim % 2) check.refuse("rotary dimension " + std::to_string(rope.rotary_dim) + " is odd");
  check.above("rope theta", rope.theta, 1);
  if (rope.scaling == RopeScaling::none) return;
  check.positive("rope scaling factor", rope.factor);
  if (rope.factor < 1) check.refuse("rope scaling factor is " + std::to_string(rope.factor) + ", expected 1 or more");
  if (rope.scaling == RopeScaling::linear) return;
  check.range("original context length of rope scaling", rope.original_context, 1, kMaxContext);
  if (rope.scaling == RopeScaling::llama3) {
    check.positive("low_freq_factor", rope.low_freq_factor);
    check.positive("high_freq_factor", rope.high_freq_factor);
    if (rope.low_freq_factor >= rope.high_freq_factor) check.refuse("low_freq_factor is not below high_freq_factor");
  } else {
    check.positive("beta_fast", rope.beta_fast);
    check.positive("beta_slow", rope.beta_slow);
    check.positive("attention factor of rope scaling", rope.attention_factor);
  }
}

void check_sliding(const Checker& check, const ModelConfig& config) {
  check.range("sliding window", config.sliding_window, 0, kMaxContext);
  if (config.sliding_layers.empty()) return;
  if (static_cast<int64_t>(config.sliding_layers.size()) != config.layers)
    check.refuse("there are attention kinds for " + std::to_string(config.sliding_layers.size()) + " layers, expected " +
                 std::to_string(config.layers));
  for (bool slides : config.sliding_layers)
    if (slides && !config.sliding_window) check.refuse("a layer slides, but no sliding window is given");
}

void add_layer(std::vector<TensorSpec>& specs, const ModelConfig& c, const std::string& layer) {
  const int64_t q = c.heads * c.head_dim, kv = c.kv_heads * c.head_dim;
  specs.push_back({layer + "attn_norm", {c.hidden}});
  specs.push_back({layer + "attn_q", {q, c.hidden}});
  specs.push_back({layer + "attn_k", {kv, c.hidden}});
  specs.push_back({layer + "attn_v", {kv, c.hidden}});
  if (c.qkv_bias) {
    specs.push_back({layer + "attn_q.bias", {q}});
    specs.push_back({layer + "attn_k.bias", {kv}});
    specs.push_back({layer + "attn_v.bias", {kv}});
  }
  if (c.qk_norm) {
    specs.push_back({layer + "attn_q_norm", {c.head_dim}});
    specs.push_back({layer + "attn_k_norm", {c.head_dim}});
  }
  specs.push_back({layer + "attn_output", {c.hidden, q}});
  if (c.attention_output_bias) specs.push_back({layer + "attn_output.bias", {c.hidden}});
  if (c.post_norms) specs.push_back({layer + "post_attention_norm", {c.hidden}});
  specs.push_back({layer + "ffn_norm", {c.hidden}});
  specs.push_back({layer + "ffn_gate", {c.intermediate, c.hidden}});
  specs.push_back({layer + "ffn_up", {c.intermediate, c.hidden}});
  specs.push_back({layer + "ffn_down", {c.hidden, c.intermediate}});
  if (c.post_norms) specs.push_back({layer + "post_ffw_norm", {c.hidden}});
}

}  // namespace

void check_config(const ModelConfig& config, const std::string& where) {
  const Checker check(where);
  if (config.family.empty()) check.refuse("no model family is given");
  check.range("number of layers", config.layers, 1, kMaxLayers);
  check.range("hidden size", config.hidden, 1, kMaxWidth);
  check.range("intermediate size", config.intermediate, 1, kMaxWidth);
  check.range("number of heads", config.heads, 1, kMaxHeads);
  check.range("number of key/value heads", config.kv_heads, 1, config.heads);
  if (config.heads % config.kv_heads)
    check.refuse(std::to_string(config.heads) + " heads are no multiple of " + std::to_string(config.kv_heads) + " key/value heads");
  check.range("head size", config.head_dim, 2, kMaxHeadDim);
  check.range("vocabulary", config.vocab, 1, kMaxVocab);
  check.range("context length", config.context_length, 1, kMaxContext);
  check.positive("norm epsilon", config.norm_eps);
  check.positive("attention scale", config.attention_scale);
  check.positive("embedding scale", config.embedding_scale);
  if (config.final_logit_softcap != 0) check.positive("final logit soft cap", config.final_logit_softcap);
  check_rope(check, config.rope, config.head_dim);
  check_rope(check, config.local_rope, config.head_dim);
  check_sliding(check, config);
}

std::vector<TensorSpec> tensor_specs(const ModelConfig& config) {
  std::vector<TensorSpec> specs;
  specs.push_back({"token_embd", {config.vocab, config.hidden}});
  for (int64_t i = 0; i < config.layers; ++i) add_layer(specs, config, "blk." + std::to_string(i) + ".");
  specs.push_back({"output_norm", {config.hidden}});
  if (!config.tied_embeddings) specs.push_back({"output", {config.vocab, config.hidden}});
  if (config.rope.has_factors) specs.push_back({"rope_factors", {config.rope.rotary_dim / 2}});
  return specs;
}

}  // namespace hyalite
