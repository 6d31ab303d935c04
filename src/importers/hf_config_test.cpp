#include "importers/hf_config.h"

#include <gtest/gtest.h>

#include <cmath>

#include "importers/testing/refusal.h"
#include "importers/testing/safetensors_writer.h"

namespace hyalite {
namespace {

ModelConfig read(const Json& json) {
  return config_from_json(json, "config.json");
}
std::string refusal(const Json& json) {
  return testing::refusal_of([&] { read(json); });
}

Json base(const char* model_type) {
  Json json = testing::tiny_llama_config();
  json["model_type"] = model_type;
  if (json["model_type"] != "llama") json.erase("architectures");
  return json;
}

Json with(Json json, const char* field, const char* value) {
  json[field] = Json::parse(value);
  return json;
}

TEST(HfConfig, Llama) {
  const ModelConfig config = read(base("llama"));
  EXPECT_EQ(config.family, "llama");
  EXPECT_EQ(config.head_dim, 4);
  EXPECT_EQ(config.kv_heads, 2);
  EXPECT_EQ(config.attention_scale, 0.5);
  EXPECT_EQ(config.norm_eps, 1e-5);
  EXPECT_FALSE(config.rope.interleaved);
  EXPECT_FALSE(config.tied_embeddings);
  EXPECT_FALSE(config.qkv_bias);
}

// T15.
TEST(HfConfig, HeadSizes) {
  Json json = base("llama");
  EXPECT_EQ(read(with(json, "head_dim", "null")).head_dim, 4);
  EXPECT_EQ(read(with(json, "head_dim", "80")).head_dim, 80);
  EXPECT_EQ(read(with(json, "head_dim", "96")).rope.rotary_dim, 96);
  EXPECT_EQ(read(with(json, "num_key_value_heads", "null")).kv_heads, 4);
  EXPECT_EQ(read(with(json, "num_key_value_heads", "1")).kv_heads, 1);
  json.erase("num_key_value_heads");
  EXPECT_EQ(read(json).kv_heads, 4);
  EXPECT_NE(refusal(with(json, "num_attention_heads", "7")).find("num_attention_heads"), std::string::npos);
  EXPECT_NE(refusal(with(json, "num_key_value_heads", "3")), "");
  EXPECT_NE(refusal(with(json, "num_key_value_heads", "0")), "");
  EXPECT_NE(refusal(with(json, "head_dim", "7")).find("odd"), std::string::npos);
  EXPECT_NE(refusal(with(json, "head_dim", "-4")), "");
  EXPECT_EQ(read(with(base("qwen3"), "head_dim", "128")).head_dim, 128);
  EXPECT_EQ(read(base("qwen3")).head_dim, 128);  // the class default
}

// T16.
TEST(HfConfig, RopeScaling) {
  const Json json = base("llama");
  auto rope = [&](const char* field, const char* value) { return read(with(json, field, value)).rope; };
  EXPECT_EQ(rope("rope_scaling", "null").scaling, RopeScaling::none);
  EXPECT_EQ(rope("rope_scaling", R"({"rope_type": "default"})").scaling, RopeScaling::none);
  EXPECT_EQ(rope("rope_scaling", R"({"type": "linear", "factor": 8.0})").factor, 8);
  const RopeConfig llama3 = rope("rope_scaling", R"({"rope_type": "llama3", "factor": 32.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                                                    "original_max_position_embeddings": 8192})");
  EXPECT_EQ(llama3.scaling, RopeScaling::llama3);
  EXPECT_EQ(llama3.original_context, 8192);
  EXPECT_EQ(llama3.theta, 10000);
  const RopeConfig yarn = rope("rope_scaling", R"({"type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768})");
  EXPECT_EQ(yarn.scaling, RopeScaling::yarn);
  EXPECT_DOUBLE_EQ(yarn.attention_factor, 0.1 * std::log(4.0) + 1);
  EXPECT_TRUE(yarn.truncate);
  const RopeConfig mscale = rope("rope_scaling", R"({"type": "yarn", "factor": 40, "mscale": 1.0, "mscale_all_dim": 1.0, "beta_fast": 16,
                                                    "truncate": false, "original_max_position_embeddings": 4096})");
  EXPECT_DOUBLE_EQ(mscale.attention_factor, 1);
  EXPECT_EQ(mscale.beta_fast, 16);
  EXPECT_FALSE(mscale.truncate);
  EXPECT_EQ(rope("rope_scaling", R"({"type": "yarn", "original_max_position_embeddings": 16})").factor, 4);
  EXPECT_EQ(rope("rope_scaling", R"({"type": "yarn", "factor": 4, "attention_factor": 1.5})").attention_factor, 1.5);
  EXPECT_EQ(rope("rope_parameters", R"({"rope_type": "default", "rope_theta": 500000.0})").theta, 500000);
  EXPECT_EQ(rope("partial_rotary_factor", "1.0").rotary_dim, 4);
}

TEST(HfConfig, RefusesRopeItDoesNotHave) {
  const Json json = base("llama");
  for (const char* type : {"longrope", "dynamic", "mrope", "su", "nonsense"}) {
    const std::string message = refusal(with(json, "rope_scaling", (std::string("{\"rope_type\": \"") + type + "\"}").c_str()));
    EXPECT_NE(message.find(std::string("\"") + type + "\""), std::string::npos) << message;
  }
  EXPECT_NE(refusal(with(json, "rope_scaling", R"({"type": "linear"})")).find("factor"), std::string::npos);
  EXPECT_NE(refusal(with(json, "rope_scaling", R"({"type": "linear", "factor": "8"})")).find("factor"), std::string::npos);
  EXPECT_NE(refusal(with(json, "rope_scaling", R"({"type": "linear", "factor": -1})")), "");
  EXPECT_NE(refusal(with(json, "rope_scaling", R"({"type": "yarn", "factor": 4, "original_max_position_embeddings": 0})")), "");
  EXPECT_NE(refusal(with(json, "rope_scaling", "[1]")).find("rope_scaling"), std::string::npos);
  EXPECT_NE(refusal(with(json, "rope_scaling", R"({"type": "linear", "factor": 1e-308})")).find("rope scaling factor"), std::string::npos);
  EXPECT_NE(refusal(with(json, "rope_scaling", R"({"factor": 8})")).find("rope_scaling: rope_type"), std::string::npos);
  EXPECT_NE(refusal(with(json, "rope_scaling", R"({"type": "linear", "rope_type": "yarn", "factor": 8})")).find("\"linear\""),
            std::string::npos);
  EXPECT_EQ(refusal(with(json, "rope_scaling", R"({"type": "linear", "rope_type": "linear", "factor": 8})")), "");
  EXPECT_EQ(refusal(with(json, "rope_parameters", R"({"rope_theta": 10000.0})")), "");
  for (const char* theta : {"0", "0.5", "1"}) EXPECT_NE(refusal(with(json, "rope_theta", theta)).find("rope theta"), std::string::npos);
}

TEST(HfConfig, RefusesRotaryPartsThatTheClassesIgnore) {
  for (const char* type : {"llama", "mistral", "qwen2", "qwen3", "gemma3_text"}) {
    const Json json = base(type);
    const char* inside = R"({"rope_type": "default", "partial_rotary_factor": 0.5})";
    EXPECT_NE(refusal(with(json, "partial_rotary_factor", "0.5")).find("partial_rotary_factor"), std::string::npos) << type;
    EXPECT_NE(refusal(with(json, "rope_parameters", inside)).find("rope_parameters: partial_rotary_factor"), std::string::npos) << type;
    EXPECT_EQ(refusal(with(json, "rope_parameters", R"({"rope_type": "default", "partial_rotary_factor": 1.0})")), "") << type;
  }
}

TEST(HfConfig, MistralSlidesEverywhere) {
  const ModelConfig config = read(with(base("mistral"), "sliding_window", "32"));
  EXPECT_EQ(config.family, "llama");
  EXPECT_EQ(config.sliding_window, 32);
  EXPECT_EQ(config.sliding_layers, std::vector<bool>(1, true));
  EXPECT_TRUE(read(with(base("mistral"), "sliding_window", "null")).sliding_layers.empty());
}

TEST(HfConfig, Qwen) {
  Json json = base("qwen2");
  EXPECT_TRUE(read(json).qkv_bias);
  EXPECT_TRUE(read(json).sliding_layers.empty());
  json["sliding_window"] = 16;
  EXPECT_EQ(read(json).sliding_window, 0);  // not used unless use_sliding_window says so
  json["use_sliding_window"] = true;
  json["num_hidden_layers"] = 3;
  json["max_window_layers"] = 1;
  EXPECT_EQ(read(json).sliding_layers, (std::vector<bool>{false, true, true}));
  json["layer_types"] = {"sliding_attention", "full_attention", "full_attention"};
  EXPECT_EQ(read(json).sliding_layers, (std::vector<bool>{true, false, false}));
  json["layer_types"] = {"sliding_attention"};
  EXPECT_NE(refusal(json), "");
  json["layer_types"] = {"linear_attention"};
  EXPECT_NE(refusal(json).find("linear_attention"), std::string::npos);
  const ModelConfig qwen3 = read(base("qwen3"));
  EXPECT_TRUE(qwen3.qk_norm);
  EXPECT_FALSE(qwen3.qkv_bias);
}

TEST(HfConfig, Gemma3) {
  Json json = base("gemma3_text");
  for (const char* field : {"hidden_act", "tie_word_embeddings", "rope_theta"}) json.erase(field);
  json["num_hidden_layers"] = 7;
  json["head_dim"] = 32;
  json["sliding_window"] = 8;
  json["query_pre_attn_scalar"] = 64;
  const ModelConfig config = read(json);
  EXPECT_EQ(config.family, "gemma3");
  EXPECT_TRUE(config.tied_embeddings && config.qk_norm && config.post_norms);
  EXPECT_EQ(config.activation, Activation::gelu_tanh);
  EXPECT_EQ(config.attention_scale, 0.125);
  EXPECT_EQ(config.embedding_scale, 4);
  EXPECT_EQ(config.sliding_layers, (std::vector<bool>{true, true, true, true, true, false, true}));
  EXPECT_EQ(config.rope.theta, 1e6);
  EXPECT_EQ(config.local_rope.theta, 1e4);
  json["rope_scaling"] = {{"rope_type", "linear"}, {"factor", 8.0}};
  EXPECT_EQ(read(json).rope.scaling, RopeScaling::linear);
  EXPECT_EQ(read(json).local_rope.scaling, RopeScaling::none);
  json.erase("rope_scaling");
  json["rope_parameters"] = Json::parse(R"({"sliding_attention": {"rope_type": "default", "rope_theta": 20000.0},
                                            "full_attention": {"rope_type": "linear", "factor": 2.0, "rope_theta": 3e6}})");
  EXPECT_EQ(read(json).rope.theta, 3e6);
  EXPECT_EQ(read(json).rope.factor, 2);
  EXPECT_EQ(read(json).local_rope.theta, 20000);
  json["use_bidirectional_attention"] = true;
  EXPECT_NE(refusal(json).find("use_bidirectional_attention"), std::string::npos);
}

TEST(HfConfig, Gemma3InAMultimodalFileFallsBackToClassDefaults) {
  const Json json = Json::parse(R"({"model_type": "gemma3", "architectures": ["Gemma3ForConditionalGeneration"], "vision_config": {},
    "text_config": {"hidden_size": 2560, "intermediate_size": 10240, "model_type": "gemma3_text", "num_hidden_layers": 34,
                    "rope_scaling": {"factor": 8.0, "rope_type": "linear"}, "sliding_window": 1024}})");
  const ModelConfig config = read(json);
  EXPECT_EQ(config.heads, 8);
  EXPECT_EQ(config.kv_heads, 4);
  EXPECT_EQ(config.head_dim, 256);
  EXPECT_EQ(config.vocab, 262208);
  EXPECT_EQ(config.attention_scale, 0.0625);
}

TEST(HfConfig, RefusesWhatItDoesNotHaveByName) {
  EXPECT_NE(refusal(base("mamba2")).find("\"mamba2\""), std::string::npos);
  struct Case {
    const char *field, *value, *expected;
  };
  const Case cases[] = {
      {"hidden_act", "\"relu\"", "\"relu\""},
      {"mlp_bias", "true", "mlp_bias"},
      {"architectures", "[\"LlamaForSequenceClassification\"]", "LlamaForSequenceClassification"},
      {"architectures", "[\"Qwen2ForCausalLM\"]", "\"Qwen2ForCausalLM\" is no model of type \"llama\""},
      {"architectures", "[\"LlamaExtraForCausalLM\"]", "LlamaExtra"},
      {"quantization_config", "{\"quant_method\": \"gptq\", \"bits\": 4}", "\"gptq\""},
      {"hidden_size", "null", "hidden_size"},
      {"hidden_size", "-16", "head_dim"},
      {"hidden_size", "\"16\"", "hidden_size"},
      {"hidden_size", "16.5", "hidden_size"},
      {"hidden_size", "18446744073709551615", "hidden_size"},
      {"num_hidden_layers", "0", "layers"},
      {"num_hidden_layers", "2147483648", "layers"},
      {"num_attention_heads", "0", "num_attention_heads"},
      {"vocab_size", "9223372036854775807", "vocabulary"},
      {"rms_norm_eps", "0", "epsilon"},
      {"rms_norm_eps", "null", ""},
      {"tie_word_embeddings", "\"yes\"", "tie_word_embeddings"},
      {"model_type", "null", "model_type"},
      {"model_type", "3", "model_type"},
  };
  for (const Case& c : cases) {
    const std::string message = refusal(with(base("llama"), c.field, c.value));
    EXPECT_NE(message.find(c.expected), std::string::npos) << c.field << ": " << message;
    if (*c.expected) {
      EXPECT_NE(message.find("config.json"), std::string::npos) << message;
    }
  }
  EXPECT_NE(refusal(Json::parse("[1]")), "");
}

}  // namespace
}  // namespace hyalite
