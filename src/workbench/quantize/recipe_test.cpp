#include "workbench/quantize/recipe.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace hyalite {
namespace {

ModelConfig config_of(int64_t layers, int64_t heads, int64_t kv_heads, bool tied) {
  ModelConfig config{.family = "llama", .layers = layers, .heads = heads, .kv_heads = kv_heads};
  config.tied_embeddings = tied;
  return config;
}

std::string types_of(const char* mixture, const char* part, const ModelConfig& config) {
  std::string text;
  for (int64_t i = 0; i < config.layers; ++i) {
    const DType dtype = mixed_type(mixture_named(mixture), config, "blk." + std::to_string(i) + "." + part);
    text += (i ? " " : "") + std::string(format_of(dtype).name);
  }
  return text;
}

// What llama-quantize of llama.cpp chose for a model of 16 layers.
TEST(Mixture, ChoosesLayersAsLlamaCppDoes) {
  const ModelConfig config = config_of(16, 16, 8, false);
  EXPECT_EQ(types_of("Q4_K_M", "ffn_down", config), "q6_k q6_k q4_k q4_k q6_k q4_k q4_k q6_k q4_k q4_k q6_k q4_k q4_k q6_k q6_k q6_k");
  EXPECT_EQ(types_of("q4_k_s", "attn_v", config_of(6, 16, 8, false)), "q5_k q5_k q5_k q5_k q4_k q4_k");
  EXPECT_EQ(types_of("q3_k_m", "attn_v", config_of(3, 16, 8, false)), "q5_k q5_k q4_k");
  EXPECT_EQ(types_of("q2_k", "attn_v", config_of(1, 16, 8, false)), "q3_k");
  EXPECT_EQ(types_of("q2_k", "attn_v", config_of(1, 16, 4, false)), "q4_k");
  EXPECT_EQ(types_of("q4_k_m", "attn_q", config_of(2, 16, 4, false)), "q4_k q4_k");
}

TEST(Mixture, KeepsTheHeadWide) {
  EXPECT_EQ(mixed_type(mixture_named("q4_0"), config_of(1, 1, 1, false), "output"), DType::q6_k);
  EXPECT_EQ(mixed_type(mixture_named("q4_0"), config_of(1, 1, 1, false), "token_embd"), DType::q4_0);
  EXPECT_EQ(mixed_type(mixture_named("q4_0"), config_of(1, 1, 1, true), "token_embd"), DType::q6_k);
}

TEST(Mixture, NamesAreRefusedWithWhatThereIs) {
  EXPECT_EQ(mixture_named("Q5_K").name, "q5_k_m");
  for (const char* name : {"q9", "IQ1_S"}) {
    try {
      mixture_named(name);
      FAIL() << name;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_argument) << name;
      EXPECT_NE(std::string(error.what()).find("q4_k_m"), std::string::npos);
    }
  }
}

TEST(Recipe, FirstMatchCounts) {
  const auto rules = parse_recipe("blk.0.ffn_*.weight q8_0  # wide\n\n*.ffn_up Q4_K\n", "r");
  ASSERT_EQ(rules.size(), 2u);
  EXPECT_EQ(rule_for(rules, "blk.0.ffn_up"), 0u);
  EXPECT_EQ(rule_for(rules, "blk.1.ffn_up"), 1u);
  EXPECT_EQ(rule_for(rules, "blk.1.ffn_down"), std::nullopt);
  EXPECT_EQ(rules[1].dtype, DType::q4_k);
  EXPECT_EQ(parse_recipe(print_recipe(rules), "again").size(), 2u);
}

TEST(Recipe, FaultsNameTheirLine) {
  for (const char* text : {"\nblk.0", "\nblk.0 q4_0 more", "\nblk.0 q9", "\nblk.0 iq1_m"}) {
    try {
      parse_recipe(text, "file");
      FAIL() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.where(), "file:2") << text;
    }
  }
}

}  // namespace
}  // namespace hyalite
