#include "importers/hf_config.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "importers/hf_rope.h"
#include "importers/json_fields.h"

namespace hyalite {
namespace {

constexpr int64_t kMaxListedLayers = 1 << 14;  // check_config refuses more

Activation read_activation(const JsonFields& fields, const char* field, const char* standard) {
  const std::string name = fields.string(field).value_or(standard);
  if (name == "silu" || name == "swish") return Activation::silu;
  if (name == "gelu_pytorch_tanh" || name == "gelu_new") return Activation::gelu_tanh;
  fields.unsupported(field, "Hyalite has no activation \"" + name + "\"");
}

void forbid_true(const JsonFields& fields, const char* field) {
  if (fields.boolean(field).value_or(false)) fields.unsupported(field, "Hyalite has no support for this option");
}

void read_heads(const JsonFields& fields, int64_t default_kv_heads, ModelConfig& config) {
  const auto kv_heads = fields.integer("num_key_value_heads");
  config.kv_heads = kv_heads ? *kv_heads : fields.contains("num_key_value_heads") || !default_kv_heads ? config.heads : default_kv_heads;
  if (const auto head_dim = fields.integer("head_dim")) {
    config.head_dim = *head_dim;
  } else if (!config.head_dim || fields.contains("head_dim")) {
    if (config.heads < 1 || config.hidden % config.heads)
      fields.refuse("num_attention_heads",
                    "is " + std::to_string(config.heads) + ", which does not divide the hidden size " + std::to_string(config.hidden));
    config.head_dim = config.hidden / config.heads;
  }
  if (config.head_dim < 1) fields.refuse("head_dim", "is " + std::to_string(config.head_dim));
  config.attention_scale = 1 / std::sqrt(static_cast<double>(config.head_dim));
}

// What every family has. Fields of `config` that are set already are the family's defaults; 0 means that the file must say.
void read_common(const JsonFields& fields, int64_t default_kv_heads, ModelConfig& config) {
  auto size = [&](const char* field, int64_t& value) {
    value = value ? fields.integer(field).value_or(value) : fields.required_integer(field);
  };
  size("num_hidden_layers", config.layers);
  size("hidden_size", config.hidden);
  size("intermediate_size", config.intermediate);
  size("num_attention_heads", config.heads);
  size("vocab_size", config.vocab);
  size("max_position_embeddings", config.context_length);
  config.norm_eps = fields.number("rms_norm_eps").value_or(1e-6);
  config.tied_embeddings = fields.boolean("tie_word_embeddings").value_or(config.tied_embeddings);
  read_heads(fields, default_kv_heads, config);
  forbid_true(fields, "mlp_bias");
}

// The list "layer_types"; empty where there is none.
std::vector<bool> read_layer_types(const JsonFields& fields) {
  std::vector<bool> sliding;
  const Json* list = fields.find("layer_types");
  if (!list) return sliding;
  if (!list->is_array() || static_cast<int64_t>(list->size()) > kMaxListedLayers)
    fields.refuse("layer_types", "expected a list with one entry a layer");
  for (const Json& item : *list) {
    if (item == "full_attention" || item == "sliding_attention") {
      sliding.push_back(item == "sliding_attention");
    } else {
      fields.unsupported("layer_types", "Hyalite has no layers of type " + item.dump());
    }
  }
  return sliding;
}

template <class Rule>
std::vector<bool> layers_where(int64_t layers, Rule rule) {
  std::vector<bool> sliding;
  for (int64_t i = 0; i < std::min(layers, kMaxListedLayers); ++i) sliding.push_back(rule(i));
  return sliding;
}

void read_llama(const JsonFields& fields, ModelConfig& config) {
  read_common(fields, 0, config);
  config.qkv_bias = config.attention_output_bias = fields.boolean("attention_bias").value_or(false);
  config.activation = read_activation(fields, "hidden_act", "silu");
  read_rope(fields, 10000, config);
}

void read_mistral(const JsonFields& fields, ModelConfig& config) {
  constexpr int64_t kDefaultKvHeads = 8;
  read_common(fields, kDefaultKvHeads, config);
  config.activation = read_activation(fields, "hidden_act", "silu");
  config.sliding_window = fields.contains("sliding_window") ? fields.integer("sliding_window").value_or(0) : 4096;
  if (config.sliding_window) config.sliding_layers = layers_where(config.layers, [](int64_t) { return true; });
  read_rope(fields, 10000, config);
}

void read_qwen(const JsonFields& fields, ModelConfig& config) {
  read_common(fields, 32, config);
  config.activation = read_activation(fields, "hidden_act", "silu");
  if (fields.boolean("use_sliding_window").value_or(false)) {
    config.sliding_window = fields.integer("sliding_window").value_or(4096);
    const int64_t first = fields.integer("max_window_layers").value_or(28);
    config.sliding_layers = layers_where(config.layers, [first](int64_t i) { return i >= first; });
  }
  if (const auto listed = read_layer_types(fields); !listed.empty()) config.sliding_layers = listed;
  read_rope(fields, 10000, config);
}

void read_qwen2(const JsonFields& fields, ModelConfig& config) {
  read_qwen(fields, config);
  config.qkv_bias = true;
}

void read_qwen3(const JsonFields& fields, ModelConfig& config) {
  config.head_dim = 128;
  read_qwen(fields, config);
  config.qk_norm = true;
  config.qkv_bias = config.attention_output_bias = fields.boolean("attention_bias").value_or(false);
}

void read_gemma3(const JsonFields& fields, ModelConfig& config) {
  // Published multimodal files leave out what equals the class defaults.
  config.vocab = 262208;
  config.hidden = 2304;
  config.intermediate = 9216;
  config.layers = 26;
  config.heads = 8;
  config.head_dim = 256;
  config.context_length = 131072;
  read_common(fields, 4, config);
  config.qkv_bias = config.attention_output_bias = fields.boolean("attention_bias").value_or(false);
  config.qk_norm = config.post_norms = true;
  config.activation = read_activation(fields, fields.has("hidden_activation") ? "hidden_activation" : "hidden_act", "gelu_pytorch_tanh");
  config.embedding_scale = std::sqrt(static_cast<double>(config.hidden));
  const double scalar = fields.number("query_pre_attn_scalar").value_or(256);
  if (scalar <= 0) fields.refuse("query_pre_attn_scalar", "is not positive");
  config.attention_scale = 1 / std::sqrt(scalar);
  config.final_logit_softcap = fields.number("final_logit_softcapping").value_or(0);
  if (fields.number("attn_logit_softcapping").value_or(0) != 0)
    fields.unsupported("attn_logit_softcapping", "Hyalite has no support for this option");
  forbid_true(fields, "use_bidirectional_attention");
  config.sliding_window = fields.contains("sliding_window") ? fields.integer("sliding_window").value_or(0) : 4096;
  config.sliding_layers = read_layer_types(fields);
  if (config.sliding_layers.empty()) {
    const int64_t period = fields.integer("sliding_window_pattern").value_or(6);
    if (period < 1) fields.refuse("sliding_window_pattern", "is " + std::to_string(period));
    config.sliding_layers = layers_where(config.layers, [period](int64_t i) { return (i + 1) % period != 0; });
  }
  read_gemma_rope(fields, config);
}

struct ModelType {
  const char* name;
  const char* family;
  const char* architecture;  // of config.json's "architectures", without its head
  bool tied;                 // the class default of tie_word_embeddings
  void (*read)(const JsonFields& fields, ModelConfig& config);
};
constexpr ModelType kModelTypes[] = {
    {"llama", "llama", "Llama", false, read_llama},         {"mistral", "llama", "Mistral", false, read_mistral},
    {"qwen2", "qwen2", "Qwen2", false, read_qwen2},         {"qwen3", "qwen3", "Qwen3", false, read_qwen3},
    {"gemma3_text", "gemma3", "Gemma3", true, read_gemma3},
};

// Heads other than a language model's would need tensors that are not read, and another family's model would run as what it is not.
void check_architectures(const JsonFields& fields, const ModelType& type) {
  const Json* list = fields.find("architectures");
  if (!list || !list->is_array() || list->empty() || !list->front().is_string()) return;
  const auto name = list->front().get<std::string>();
  const size_t head = name.find("For");
  if (!name.ends_with("ForCausalLM") && !name.ends_with("ForConditionalGeneration"))
    fields.unsupported("architectures", "Hyalite runs causal language models, not \"" + name + "\"");
  const bool is_of_family = std::ranges::any_of(kModelTypes, [&](const ModelType& row) {
    return row.family == std::string_view(type.family) && name.substr(0, head) == row.architecture;
  });
  if (!is_of_family) fields.unsupported("architectures", "\"" + name + "\" is no model of type \"" + type.name + "\"");
}

void check_quantization(const JsonFields& fields) {
  const auto quantization = fields.object("quantization_config");
  if (!quantization) return;
  const std::string method = quantization->string("quant_method").value_or("");
  if (method != "fp8") quantization->unsupported("quant_method", "Hyalite does not read weights quantised by \"" + method + "\"");
}

}  // namespace

Json read_config_json(const std::string& path) {
  return read_json_file(path, kHfConfigLimits);
}

ModelConfig config_from_json(const Json& json, const std::string& where) {
  const JsonFields outer(json, where);
  const auto outer_type = outer.string("model_type");
  if (!outer_type) outer.refuse("model_type", "is missing");
  const bool nested = *outer_type == "gemma3";
  if (nested && !outer.has("text_config")) outer.refuse("text_config", "is missing");
  const JsonFields fields = nested ? *outer.object("text_config") : outer;
  const std::string type = nested ? fields.string("model_type").value_or("gemma3_text") : *outer_type;
  check_quantization(outer);
  for (const ModelType& row : kModelTypes) {
    if (type != row.name) continue;
    check_architectures(outer, row);
    ModelConfig config;
    config.family = row.family;
    config.tied_embeddings = outer.boolean("tie_word_embeddings").value_or(row.tied);
    row.read(fields, config);
    check_config(config, where);
    return config;
  }
  fields.unsupported("model_type", "Hyalite has no model type \"" + type + "\"");
}

}  // namespace hyalite
