#include "models/config_json.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "base/json_reader.h"

namespace hyalite {
namespace {

// Names of RopeScaling and Activation, in their order.
constexpr std::array<const char*, 4> kScalings = {"none", "linear", "llama3", "yarn"};
constexpr std::array<const char*, 2> kActivations = {"silu", "gelu_tanh"};

template <class Enum, size_t N>
Enum named(const JsonReader& from, const char* field, const std::array<const char*, N>& names) {
  const auto name = from.get<std::string>(field);
  for (size_t i = 0; i < N; ++i)
    if (name == names[i]) return static_cast<Enum>(i);
  from.fail(fmt::format("field {} is \"{}\", which is not known", field, name));
}

// Visits every field of both directions by name, so that none can be written and not read.
template <class Config, class Visit>
void visit_rope(Config& rope, Visit&& visit) {
  visit("theta", rope.theta), visit("rotary_dim", rope.rotary_dim), visit("interleaved", rope.interleaved), visit("factor", rope.factor);
  visit("low_freq_factor", rope.low_freq_factor), visit("high_freq_factor", rope.high_freq_factor);
  visit("original_context", rope.original_context), visit("beta_fast", rope.beta_fast), visit("beta_slow", rope.beta_slow);
  visit("attention_factor", rope.attention_factor), visit("truncate", rope.truncate), visit("has_factors", rope.has_factors);
}

template <class Config, class Visit>
void visit_model(Config& model, Visit&& visit) {
  visit("family", model.family), visit("name", model.name), visit("layers", model.layers), visit("hidden", model.hidden);
  visit("intermediate", model.intermediate), visit("heads", model.heads), visit("kv_heads", model.kv_heads);
  visit("head_dim", model.head_dim), visit("vocab", model.vocab), visit("context_length", model.context_length);
  visit("norm_eps", model.norm_eps), visit("tied_embeddings", model.tied_embeddings), visit("qkv_bias", model.qkv_bias),
      visit("attention_output_bias", model.attention_output_bias);
  visit("qk_norm", model.qk_norm), visit("post_norms", model.post_norms), visit("attention_scale", model.attention_scale);
  visit("embedding_scale", model.embedding_scale), visit("final_logit_softcap", model.final_logit_softcap);
  visit("sliding_window", model.sliding_window), visit("sliding_layers", model.sliding_layers);
}

Json rope_to_json(const RopeConfig& rope) {
  Json json = {{"scaling", kScalings[static_cast<size_t>(rope.scaling)]}};
  visit_rope(rope, [&](const char* name, const auto& value) { json[name] = value; });
  return json;
}

// Reads what visit_* hand over; numbers must be finite.
auto reader_into(const JsonReader& from) {
  return [&from](const char* name, auto& value) {
    using T = std::remove_reference_t<decltype(value)>;
    value = from.get<T>(name);
    if constexpr (std::is_floating_point_v<T>)
      if (!std::isfinite(value)) from.fail(fmt::format("field {} is not finite", name));
  };
}

RopeConfig rope_from(const JsonReader& from) {
  RopeConfig rope;
  visit_rope(rope, reader_into(from));
  rope.scaling = named<RopeScaling>(from, "scaling", kScalings);
  return rope;
}

}  // namespace

Json config_to_json(const ModelConfig& config) {
  Json json = {{"activation", kActivations[static_cast<size_t>(config.activation)]}};
  visit_model(config, [&](const char* name, const auto& value) { json[name] = value; });
  json["rope"] = rope_to_json(config.rope);
  json["local_rope"] = rope_to_json(config.local_rope);
  return json;
}

ModelConfig config_from_json_form(const Json& json, const std::string& where) {
  const JsonReader from(json, where);
  ModelConfig config;
  visit_model(config, reader_into(from));
  config.activation = named<Activation>(from, "activation", kActivations);
  config.rope = rope_from(from.object("rope"));
  config.local_rope = rope_from(from.object("local_rope"));
  check_config(config, where);
  return config;
}

}  // namespace hyalite
