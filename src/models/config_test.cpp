#include "models/config.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "base/error.h"

namespace hyalite {
namespace {

ModelConfig valid() {
  ModelConfig config;
  config.family = "llama";
  config.layers = 2;
  config.hidden = 32;
  config.intermediate = 64;
  config.heads = 4;
  config.kv_heads = 2;
  config.head_dim = 8;
  config.vocab = 100;
  config.context_length = 128;
  config.attention_scale = 0.35;
  config.rope.rotary_dim = config.local_rope.rotary_dim = 8;
  return config;
}

std::string refusal(const std::function<void(ModelConfig&)>& change) {
  ModelConfig config = valid();
  change(config);
  try {
    check_config(config, "m.gguf");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_model);
    EXPECT_EQ(error.where(), "m.gguf");
    return error.message();
  }
  return "";
}

TEST(CheckConfig, AcceptsOddButSoundModels) {
  EXPECT_EQ(refusal([](ModelConfig&) {}), "");
  EXPECT_EQ(refusal([](ModelConfig& c) { c.kv_heads = 1; }), "");
  EXPECT_EQ(refusal([](ModelConfig& c) { c.kv_heads = c.heads; }), "");
  EXPECT_EQ(refusal([](ModelConfig& c) { c.head_dim = 80; }), "");  // not hidden / heads
  EXPECT_EQ(refusal([](ModelConfig& c) { c.sliding_window = 4, c.sliding_layers = {true, false}; }), "");
}

TEST(CheckConfig, RefusesWhatDoesNotFit) {
  const std::function<void(ModelConfig&)> changes[] = {
      [](ModelConfig& c) { c.family.clear(); },
      [](ModelConfig& c) { c.layers = 0; },
      [](ModelConfig& c) { c.layers = int64_t{1} << 31; },
      [](ModelConfig& c) { c.hidden = -1; },
      [](ModelConfig& c) { c.intermediate = 0; },
      [](ModelConfig& c) { c.heads = 0; },
      [](ModelConfig& c) { c.kv_heads = 3; },
      [](ModelConfig& c) { c.kv_heads = 8; },
      [](ModelConfig& c) { c.head_dim = 0; },
      [](ModelConfig& c) { c.vocab = int64_t{1} << 40; },
      [](ModelConfig& c) { c.context_length = 0; },
      [](ModelConfig& c) { c.norm_eps = NAN; },
      [](ModelConfig& c) { c.attention_scale = 0; },
      [](ModelConfig& c) { c.embedding_scale = INFINITY; },
      [](ModelConfig& c) { c.final_logit_softcap = -30; },
      [](ModelConfig& c) { c.rope.rotary_dim = 7; },
      [](ModelConfig& c) { c.local_rope.rotary_dim = 10; },
      [](ModelConfig& c) { c.rope.theta = -1; },
      [](ModelConfig& c) { c.rope.scaling = RopeScaling::linear, c.rope.factor = 0; },
      [](ModelConfig& c) { c.rope.scaling = RopeScaling::llama3, c.rope.factor = 8; },
      [](ModelConfig& c) { c.rope.scaling = RopeScaling::yarn, c.rope.original_context = 64, c.rope.attention_factor = NAN; },
      [](ModelConfig& c) {
        c.sliding_layers = {true, true};
      },
      [](ModelConfig& c) { c.sliding_window = 4, c.sliding_layers = {true}; },
      [](ModelConfig& c) { c.sliding_window = -4; },
  };
  int i = 0;
  for (const auto& change : changes) EXPECT_NE(refusal(change), "") << "change " << i++;
}

bool has(const std::vector<TensorSpec>& specs, const std::string& name, const std::vector<int64_t>& dims) {
  for (const TensorSpec& spec : specs)
    if (spec.name == name) return spec.dims == dims;
  return false;
}

TEST(TensorSpecs, ListsWhatTheOptionsAskFor) {
  ModelConfig config = valid();
  config.head_dim = 16;
  auto specs = tensor_specs(config);
  EXPECT_EQ(specs.size(), 2u * 9 + 3);
  EXPECT_TRUE(has(specs, "token_embd", {100, 32}));
  EXPECT_TRUE(has(specs, "output", {100, 32}));
  EXPECT_TRUE(has(specs, "blk.1.attn_q", {64, 32}));
  EXPECT_TRUE(has(specs, "blk.1.attn_k", {32, 32}));
  EXPECT_TRUE(has(specs, "blk.1.attn_output", {32, 64}));
  EXPECT_TRUE(has(specs, "blk.0.ffn_down", {32, 64}));
  config.qkv_bias = config.attention_output_bias = config.qk_norm = config.post_norms = config.tied_embeddings = config.rope.has_factors =
      true;
  specs = tensor_specs(config);
  EXPECT_EQ(specs.size(), 2u * 17 + 3);
  EXPECT_TRUE(has(specs, "blk.0.attn_v.bias", {32}));
  EXPECT_TRUE(has(specs, "blk.0.attn_output.bias", {32}));
  EXPECT_TRUE(has(specs, "blk.0.attn_k_norm", {16}));
  EXPECT_TRUE(has(specs, "blk.0.post_ffw_norm", {32}));
  EXPECT_TRUE(has(specs, "rope_factors", {4}));
}

}  // namespace
}  // namespace hyalite
