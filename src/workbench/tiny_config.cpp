// config.json of the tiny models, in the fields that published checkpoints use.
#include "base/error.h"
#include "workbench/tiny_model.h"

namespace hyalite {
namespace {

Json common(const char* type, const char* architecture, const TinyTokenizer& tokenizer) {
  const int64_t end = tokenizer.vocab - 1;
  return {{"architectures", {architecture}}, {"model_type", type},     {"vocab_size", tokenizer.vocab}, {"hidden_size", 64},
          {"intermediate_size", 144},        {"num_hidden_layers", 3}, {"num_attention_heads", 4},      {"num_key_value_heads", 2},
          {"max_position_embeddings", 2048}, {"rms_norm_eps", 1e-6},   {"hidden_act", "silu"},          {"attention_dropout", 0.0},
          {"bos_token_id", end - 2},         {"eos_token_id", end},    {"pad_token_id", end - 2},       {"torch_dtype", "float32"}};
}

// Contexts beyond the original 128 positions, so that each of the three bands of frequencies is in use.
Json llama(const TinyTokenizer& tokenizer) {
  Json json = common("llama", "LlamaForCausalLM", tokenizer);
  json["rms_norm_eps"] = 1e-5;
  json["tie_word_embeddings"] = false;
  json["rope_theta"] = 10000.0;
  json["rope_scaling"] = {{"rope_type", "llama3"},
                          {"factor", 8.0},
                          {"low_freq_factor", 1.0},
                          {"high_freq_factor", 4.0},
                          {"original_max_position_embeddings", 128}};
  return json;
}

Json qwen2(const TinyTokenizer& tokenizer) {
  Json json = common("qwen2", "Qwen2ForCausalLM", tokenizer);
  json["tie_word_embeddings"] = true;
  json["rope_theta"] = 1000000.0;
  json["use_sliding_window"] = false;
  return json;
}

Json qwen3(const TinyTokenizer& tokenizer) {
  Json json = common("qwen3", "Qwen3ForCausalLM", tokenizer);
  json["head_dim"] = 32;
  json["attention_bias"] = false;
  json["tie_word_embeddings"] = true;
  json["rope_theta"] = 1000000.0;
  json["use_sliding_window"] = false;
  return json;
}

// Six layers hold one full layer; the window is shorter than most prompts.
Json gemma3(const TinyTokenizer& tokenizer) {
  Json json = common("gemma3_text", "Gemma3ForCausalLM", tokenizer);
  json.erase("hidden_act");
  json["hidden_activation"] = "gelu_pytorch_tanh";
  json["num_hidden_layers"] = 6;
  json["num_key_value_heads"] = 1;
  json["head_dim"] = 32;
  json["query_pre_attn_scalar"] = 24;
  json["attention_bias"] = false;
  json["tie_word_embeddings"] = true;
  json["sliding_window"] = 12;
  json["sliding_window_pattern"] = 6;
  json["rope_theta"] = 1000000.0;
  json["rope_local_base_freq"] = 10000.0;
  json["rope_scaling"] = {{"rope_type", "linear"}, {"factor", 8.0}};
  return json;
}

}  // namespace

Json tiny_config(std::string_view family) {
  const TinyTokenizer tokenizer = tiny_tokenizer();
  if (family == "llama") return llama(tokenizer);
  if (family == "qwen2") return qwen2(tokenizer);
  if (family == "qwen3") return qwen3(tokenizer);
  HYALITE_CHECK(family == "gemma3", "tiny model of " + std::string(family));
  return gemma3(tokenizer);
}

}  // namespace hyalite
