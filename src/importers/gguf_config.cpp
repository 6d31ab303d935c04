#include "importers/gguf_config.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "importers/remarks.h"
#include "importers/rope_scaling.h"

namespace hyalite {
namespace {

class ArchitectureKeys;

// One row an architecture: its name in the file, and what it sets beyond the keys that all share.
struct Architecture {
  const char* name;
  void (*finish)(const ArchitectureKeys& keys, const GgufTensorFacts& facts, ModelConfig& config);
};

// The keys below "<architecture>.".
class ArchitectureKeys {
 public:
  ArchitectureKeys(const GgufMetadata& metadata, std::string architecture) : metadata_(metadata), prefix_(std::move(architecture) + ".") {}

  std::string key(const char* name) const { return prefix_ + name; }
  const GgufMetadata& metadata() const { return metadata_; }
  std::optional<int64_t> integer(const char* name) const { return metadata_.integer(key(name)); }
  std::optional<double> number(const char* name) const { return metadata_.number(key(name)); }
  std::optional<std::string_view> string(const char* name) const { return metadata_.string(key(name)); }

  int64_t required(const char* name) const {
    auto value = integer(name);
    if (!value) metadata_.refuse(key(name), "is missing");
    return *value;
  }

  // For options that would change the results and that no family here has.
  void forbid(const char* name) const {
    if (metadata_.has(key(name)) && number(name) != 0)
      throw Error(ErrorCode::unsupported, metadata_.file() + ": key " + key(name), "Hyalite has no support for this option");
  }

 private:
  const GgufMetadata& metadata_;
  std::string prefix_;
};

void read_scaling(const ArchitectureKeys& keys, int64_t context, RopeConfig& rope) {
  auto factor = keys.number("rope.scaling.factor");
  if (!factor) factor = keys.number("rope.scale_linear");
  const auto type = keys.string("rope.scaling.type").value_or(factor ? "linear" : "none");
  const bool is_stated = keys.metadata().has(keys.key("rope.scaling.type")) && type != "none";
  if (is_stated && factor && *factor <= 0) keys.metadata().refuse(keys.key("rope.scaling.factor"), "is not positive");
  rope.factor = factor && *factor != 0 ? *factor : 1;
  if (type == "none" || (type == "linear" && rope.factor == 1)) return;
  if (type == "linear") {
    rope.scaling = RopeScaling::linear;
    return;
  }
  if (type != "yarn")
    throw Error(ErrorCode::unsupported, keys.metadata().file() + ": key " + keys.key("rope.scaling.type"),
                "Hyalite has no rope scaling \"" + std::string(type) + "\"");
  rope.scaling = RopeScaling::yarn;
  rope.original_context = keys.integer("rope.scaling.original_context_length").value_or(context);
  rope.beta_fast = keys.number("rope.scaling.yarn_beta_fast").value_or(32);
  rope.beta_slow = keys.number("rope.scaling.yarn_beta_slow").value_or(1);
  rope.attention_factor = yarn_attention_factor(rope.factor, 1, keys.number("rope.scaling.yarn_log_multiplier").value_or(0)) *
                          keys.number("rope.scaling.attn_factor").value_or(1);
}

void read_rope(const ArchitectureKeys& keys, const GgufTensorFacts& facts, ModelConfig& config) {
  RopeConfig& rope = config.rope;
  rope.theta = keys.number("rope.freq_base").value_or(10000);
  const int64_t rotary = keys.integer("rope.dimension_count").value_or(config.head_dim);
  if (rotary < 2 || rotary > config.head_dim)
    keys.metadata().refuse(keys.key("rope.dimension_count"),
                           "is " + std::to_string(rotary) + " for heads of " + std::to_string(config.head_dim));
  rope.rotary_dim = static_cast<int>(rotary);
  rope.has_factors = facts.has_rope_freqs;
  read_scaling(keys, config.context_length, rope);
  config.local_rope = rope;
}

void read_heads(const ArchitectureKeys& keys, ModelConfig& config) {
  config.heads = keys.required("attention.head_count");
  config.kv_heads = keys.integer("attention.head_count_kv").value_or(config.heads);
  if (const auto length = keys.integer("attention.key_length")) {
    config.head_dim = *length;
  } else {
    if (config.heads < 1 || config.hidden % config.heads)
      keys.metadata().refuse(
          keys.key("attention.head_count"),
          "is " + std::to_string(config.heads) + ", which does not divide the embedding length " + std::to_string(config.hidden));
    config.head_dim = config.hidden / config.heads;
  }
  if (keys.integer("attention.value_length").value_or(config.head_dim) != config.head_dim)
    throw Error(ErrorCode::unsupported, keys.metadata().file() + ": key " + keys.key("attention.value_length"),
                "differs from the length of keys");
  if (config.head_dim < 1) keys.metadata().refuse(keys.key("attention.key_length"), "is " + std::to_string(config.head_dim));
  config.attention_scale = keys.number("attention.scale").value_or(1 / std::sqrt(static_cast<double>(config.head_dim)));
}

void read_common(const ArchitectureKeys& keys, const GgufTensorFacts& facts, ModelConfig& config) {
  for (const char* name : {"expert_count", "attention.max_alibi_bias", "attention.clamp_kqv", "attn_logit_softcapping", "logit_scale"})
    keys.forbid(name);
  if (keys.metadata().boolean(keys.key("attention.causal")) == false)
    throw Error(ErrorCode::unsupported, keys.metadata().file() + ": key " + keys.key("attention.causal"),
                "Hyalite runs causal models only");
  config.name = readable(keys.metadata().string("general.name").value_or(""));
  config.layers = keys.required("block_count");
  config.hidden = keys.required("embedding_length");
  config.intermediate = keys.required("feed_forward_length");
  config.context_length = keys.required("context_length");
  const auto eps = keys.number("attention.layer_norm_rms_epsilon");
  if (!eps) keys.metadata().refuse(keys.key("attention.layer_norm_rms_epsilon"), "is missing");
  config.norm_eps = *eps;
  const auto tokens = static_cast<int64_t>(keys.metadata().array_size("tokenizer.ggml.tokens"));
  const int64_t stated = keys.integer("vocab_size").value_or(tokens);
  config.vocab = facts.vocab ? facts.vocab : stated;
  if (stated < tokens)
    keys.metadata().refuse(keys.key("vocab_size"),
                           "is " + std::to_string(stated) + ", but there are " + std::to_string(tokens) + " tokens");
  if (tokens > config.vocab)
    keys.metadata().refuse("tokenizer.ggml.tokens",
                           "has " + std::to_string(tokens) + " entries for an embedding of " + std::to_string(config.vocab) + " rows");
  config.tied_embeddings = !facts.has_output;
  read_heads(keys, config);
  read_rope(keys, facts, config);
}

// GGUF permutes the rows of llama's query and key matrices so that rotation works on neighbours.
void finish_llama(const ArchitectureKeys& keys, const GgufTensorFacts& facts, ModelConfig& config) {
  config.rope.interleaved = config.local_rope.interleaved = true;
  config.qkv_bias = facts.has_qkv_bias;
  config.attention_output_bias = facts.has_output_bias;
  config.sliding_window = keys.integer("attention.sliding_window").value_or(0);
  if (config.sliding_window) config.sliding_layers.assign(static_cast<size_t>(std::clamp<int64_t>(config.layers, 0, 1 << 14)), true);
}

void finish_qwen2(const ArchitectureKeys&, const GgufTensorFacts&, ModelConfig& config) {
  config.qkv_bias = true;
}

void finish_qwen3(const ArchitectureKeys&, const GgufTensorFacts&, ModelConfig& config) {
  config.qk_norm = true;
}

// Every sixth layer sees everything; the pattern may also be given as a period or as one flag a layer.
std::vector<bool> gemma_pattern(const ArchitectureKeys& keys, int64_t layers) {
  const std::string key = keys.key("attention.sliding_window_pattern");
  std::vector<bool> sliding;
  if (keys.metadata().is_array(key)) {
    for (int64_t flag : keys.metadata().integers(key)) sliding.push_back(flag != 0);
    return sliding;
  }
  const int64_t period = keys.integer("attention.sliding_window_pattern").value_or(6);
  if (period < 1) keys.metadata().refuse(key, "is " + std::to_string(period));
  for (int64_t i = 0; i < layers && i < 1 << 14; ++i) sliding.push_back((i + 1) % period != 0);
  return sliding;
}

void finish_gemma3(const ArchitectureKeys& keys, const GgufTensorFacts&, ModelConfig& config) {
  config.qk_norm = config.post_norms = true;
  config.activation = Activation::gelu_tanh;
  config.embedding_scale = std::sqrt(static_cast<double>(config.hidden));
  config.final_logit_softcap = keys.number("final_logit_softcapping").value_or(0);
  // The file does not say it: the 27B model, alone, scales by the width of a head as if heads divided the hidden size.
  constexpr int64_t kLayersOf27B = 62;
  if (config.layers == kLayersOf27B) config.attention_scale = 1 / std::sqrt(static_cast<double>(config.hidden) / config.heads);
  config.sliding_window = keys.integer("attention.sliding_window").value_or(0);
  if (!config.sliding_window) return;
  config.sliding_layers = gemma_pattern(keys, config.layers);
  RopeConfig local;
  local.theta = keys.number("rope.freq_base_swa").value_or(10000);
  local.rotary_dim = config.rope.rotary_dim;
  config.local_rope = local;
}

const Architecture kArchitectures[] = {
    {"llama", finish_llama},
    {"qwen2", finish_qwen2},
    {"qwen3", finish_qwen3},
    {"gemma3", finish_gemma3},
};

}  // namespace

ModelConfig config_from_gguf(const GgufMetadata& metadata, const GgufTensorFacts& facts) {
  const auto name = metadata.string("general.architecture");
  if (!name) metadata.refuse("general.architecture", "is missing");
  if (const auto type = metadata.string("general.type"); type && *type != "model")
    throw Error(ErrorCode::unsupported, metadata.file() + ": key general.type", "is \"" + std::string(*type) + "\", expected a model");
  for (const Architecture& architecture : kArchitectures) {
    if (*name != architecture.name) continue;
    const ArchitectureKeys keys(metadata, architecture.name);
    ModelConfig config;
    config.family = architecture.name;
    read_common(keys, facts, config);
    architecture.finish(keys, facts, config);
    check_config(config, metadata.file());
    return config;
  }
  throw Error(ErrorCode::unsupported, metadata.file() + ": key general.architecture",
              "Hyalite has no architecture \"" + std::string(*name) + "\"");
}

}  // namespace hyalite
