#include "workbench/quantize/gguf_keys.h"

#include <cmath>
#include <numbers>

#include "base/error.h"
#include "importers/rope_scaling.h"

namespace hyalite {
namespace {

class ConfigKeys {
 public:
  ConfigKeys(const ModelConfig& config, const std::string& where, GgufPairs& pairs) : c_(config), where_(where), pairs_(pairs) {}

  void add() {
    check();
    pairs_.set_string("general.architecture", c_.family);
    pairs_.set_string("general.type", "model");
    pairs_.set_string("general.name", c_.name);
    count("block_count", c_.layers);
    count("context_length", c_.context_length);
    count("embedding_length", c_.hidden);
    count("feed_forward_length", c_.intermediate);
    count("vocab_size", c_.vocab);
    add_attention();
    add_rope();
    if (c_.final_logit_softcap != 0) real("final_logit_softcapping", c_.final_logit_softcap);
  }

 private:
  void check() const {
    const bool gemma = c_.family == "gemma3";
    if (c_.qkv_bias && (gemma || c_.family == "qwen3")) refuse("biases of q, k and v");
    if (!gemma && c_.activation != Activation::silu) refuse("this activation");
    if (c_.sliding_window && !gemma && c_.family != "llama") refuse("a sliding window");
    if (c_.family == "llama" && c_.rope.rotary_dim != c_.head_dim) refuse("heads that rotate in part");
  }
  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(ErrorCode::unsupported, where_, "a GGUF file of the architecture " + c_.family + " has no word for " + what);
  }

  std::string key(const char* name) const { return c_.family + "." + name; }
  void count(const char* name, int64_t value) { pairs_.set_u32(key(name), static_cast<uint32_t>(value)); }
  void real(const char* name, double value) { pairs_.set_f32(key(name), static_cast<float>(value)); }

  void add_attention() {
    count("attention.head_count", c_.heads);
    count("attention.head_count_kv", c_.kv_heads);
    count("attention.key_length", c_.head_dim);
    count("attention.value_length", c_.head_dim);
    real("attention.layer_norm_rms_epsilon", c_.norm_eps);
    if (const double usual = 1 / std::sqrt(static_cast<double>(c_.head_dim)); std::fabs(c_.attention_scale / usual - 1) > 1e-6)
      real("attention.scale", c_.attention_scale);
    if (!c_.sliding_window) return;
    count("attention.sliding_window", c_.sliding_window);
    if (c_.family == "gemma3") pairs_.set_booleans(key("attention.sliding_window_pattern"), c_.sliding_layers);
  }

  void add_rope() {
    count("rope.dimension_count", c_.rope.rotary_dim);
    real("rope.freq_base", c_.rope.theta);
    if (c_.family == "gemma3" && c_.sliding_window) real("rope.freq_base_swa", c_.local_rope.theta);
    if (c_.rope.scaling == RopeScaling::none || c_.rope.scaling == RopeScaling::llama3) return;
    const bool yarn = c_.rope.scaling == RopeScaling::yarn;
    pairs_.set_string(key("rope.scaling.type"), yarn ? "yarn" : "linear");
    real("rope.scaling.factor", c_.rope.factor);
    if (!yarn) return;
    count("rope.scaling.original_context_length", c_.rope.original_context);
    real("rope.scaling.yarn_beta_fast", c_.rope.beta_fast);
    real("rope.scaling.yarn_beta_slow", c_.rope.beta_slow);
    real("rope.scaling.attn_factor", c_.rope.attention_factor / yarn_attention_factor(c_.rope.factor, 1, 0));
  }

  const ModelConfig& c_;
  const std::string& where_;
  GgufPairs& pairs_;
};

}  // namespace

void add_config_keys(const ModelConfig& config, const std::string& where, GgufPairs& pairs) {
  ConfigKeys(config, where, pairs).add();
}

// Llama 3.1: long waves are stretched by the factor, short ones stay, those between change over smoothly.
std::vector<float> llama3_factors(const RopeConfig& rope) {
  HYALITE_CHECK(rope.scaling == RopeScaling::llama3, "rope scaling");
  const auto context = static_cast<double>(rope.original_context);
  std::vector<float> factors;
  for (int i = 0; i < rope.rotary_dim; i += 2) {
    const double waves = context * std::pow(rope.theta, -static_cast<double>(i) / rope.rotary_dim) / (2 * std::numbers::pi);
    const double share = (waves - rope.low_freq_factor) / (rope.high_freq_factor - rope.low_freq_factor);
    const double smooth = std::fmin(1, std::fmax(0, share));
    factors.push_back(static_cast<float>(1 / ((1 - smooth) / rope.factor + smooth)));
  }
  return factors;
}

}  // namespace hyalite
