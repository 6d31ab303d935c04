#include "importers/gguf_tokenizer.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/tokenizer_limits.h"
#include "importers/gguf_file.h"
#include "importers/pre_tokenizer_table.h"
#include "importers/testing/gguf_writer.h"

namespace hyalite {
namespace {

using testing::GgufWriter;

GgufWriter byte_level() {
  GgufWriter writer;
  writer.string("tokenizer.ggml.model", "gpt2")
      .string("tokenizer.ggml.pre", "smollm")
      .strings("tokenizer.ggml.tokens", {"h", "e", "he", "<|im_end|>", "<tool>", "[PAD]"})
      .i32s("tokenizer.ggml.token_type", {1, 1, 1, 3, 4, 5})
      .strings("tokenizer.ggml.merges", {"h e"})
      .u32("tokenizer.ggml.bos_token_id", 3)
      .u32("tokenizer.ggml.eos_token_id", 3)
      .string("tokenizer.chat_template", "{{ messages }}");
  return writer;
}

TokenizerSpec import(GgufWriter writer) {
  const std::string bytes = writer.bytes();
  const GgufFile file = parse_gguf({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}, "test.gguf");
  return import_gguf_tokenizer(file.metadata);
}

// The message with which an import is refused.
std::string refusal(GgufWriter writer) {
  try {
    import(std::move(writer));
    return "accepted";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(GgufTokenizer, ReadsByteLevelVocabularies) {
  const TokenizerSpec spec = import(byte_level());
  EXPECT_EQ(spec.model, TokenizerModel::bpe_bytes);
  EXPECT_EQ(spec.merges, (std::vector<TokenMerge>{{0, 1, 2}}));
  EXPECT_EQ(spec.pre_tokenizers.size(), 2u);
  EXPECT_EQ(spec.added, (std::vector<AddedToken>{{.id = 3, .text = "<|im_end|>", .special = true}, {.id = 4, .text = "<tool>"}}));
  EXPECT_EQ(spec.kinds[5], TokenKind::unused);
  EXPECT_EQ(spec.end_of_generation, (std::vector<int32_t>{3}));
  EXPECT_TRUE(spec.prefix.empty());
  EXPECT_EQ(spec.chat_template, "{{ messages }}");
  EXPECT_EQ(import(byte_level().boolean("tokenizer.ggml.add_bos_token", true)).prefix, (std::vector<int32_t>{3}));
}

TEST(GgufTokenizer, ReadsSentencePieceVocabularies) {
  GgufWriter writer;
  writer.string("tokenizer.ggml.model", "llama").strings("tokenizer.ggml.tokens", {"<unk>", "<s>", "</s>", "<0x0A>", "\u2581a"});
  writer.i32s("tokenizer.ggml.token_type", {2, 3, 3, 6, 1});
  const float scores[] = {0, 0, 0, 0, -1.5f};
  writer.array("tokenizer.ggml.scores", GgufType::f32, 5, {reinterpret_cast<const char*>(scores), sizeof scores});
  const TokenizerSpec spec = import(writer);
  EXPECT_EQ(spec.model, TokenizerModel::bpe_scores);
  EXPECT_TRUE(spec.byte_fallback);
  EXPECT_EQ(spec.prefix, (std::vector<int32_t>{1}));
  EXPECT_EQ(spec.normalizers.size(), 2u);
  EXPECT_EQ(spec.decoders.back().type, "Strip");
  EXPECT_EQ(import(GgufWriter(writer).boolean("tokenizer.ggml.add_space_prefix", false)).normalizers.size(), 1u);
}

TEST(GgufTokenizer, RefusesByName) {
  EXPECT_NE(refusal(byte_level().drop("tokenizer.ggml.pre").string("tokenizer.ggml.pre", "new-bpe")).find("\"new-bpe\""),
            std::string::npos);
  EXPECT_NE(refusal(byte_level().drop("tokenizer.ggml.model").string("tokenizer.ggml.model", "rwkv")).find("\"rwkv\""), std::string::npos);
  EXPECT_NE(refusal(byte_level().drop("tokenizer.ggml.tokens")).find("tokenizer.ggml.tokens"), std::string::npos);
  const auto changed = [](const char* key) { return byte_level().drop(key); };
  EXPECT_NE(refusal(changed("tokenizer.ggml.merges")).find("tokenizer.ggml.merges: is missing"), std::string::npos);
  EXPECT_NE(refusal(changed("tokenizer.ggml.merges").strings("tokenizer.ggml.merges", {"h x"})).find("\"x\""), std::string::npos);
  EXPECT_NE(refusal(changed("tokenizer.ggml.merges").strings("tokenizer.ggml.merges", {"he"})).find("entry 0"), std::string::npos);
  EXPECT_NE(refusal(changed("tokenizer.ggml.token_type").i32s("tokenizer.ggml.token_type", {1})).find("token_type"), std::string::npos);
  EXPECT_NE(refusal(changed("tokenizer.ggml.token_type").i32s("tokenizer.ggml.token_type", {1, 1, 1, 3, 4, 99})).find("99"),
            std::string::npos);
  EXPECT_NE(refusal(changed("tokenizer.ggml.eos_token_id").u32("tokenizer.ggml.eos_token_id", 6)).find("eos_token_id"), std::string::npos);
  EXPECT_NE(refusal(changed("tokenizer.ggml.tokens").strings("tokenizer.ggml.tokens", {"h", "e", "he", "a", "b", "\xff"})).find("UTF-8"),
            std::string::npos);
  const std::string long_piece(kMaxPieceBytes / 2, 'a');
  EXPECT_NE(
      refusal(changed("tokenizer.ggml.tokens").strings("tokenizer.ggml.tokens", {"h", long_piece, long_piece})).find("tokens: has more"),
      std::string::npos);
  const std::string message = refusal(changed("tokenizer.chat_template").string("tokenizer.chat_template", "a\xff"));
  EXPECT_NE(message.find("tokenizer.chat_template: is not valid UTF-8"), std::string::npos) << message;
}

TEST(PreTokenizerTable, NamesStandForOneRowEach) {
  for (const char* name :
       {"default",        "gpt-2",       "llama-bpe", "qwen2",      "qwen35",     "smollm", "starcoder",    "command-r", "deepseek-llm",
        "deepseek-coder", "deepseek-v3", "falcon",    "mpt",        "olmo",       "dbrx",   "tekken",       "gpt-4o",    "chatglm-bpe",
        "viking",         "jais",        "poro-chat", "stablelm2",  "codeshell",  "bloom",  "gpt3-finnish", "exaone",    "minerva-7b",
        "superbpe",       "kimi-k2",     "hunyuan",   "seed-coder", "bailingmoe", "grok-2", "gigachat",     "refact"})
    EXPECT_NE(find_published_pre_tokenizer(name), nullptr) << name;
  EXPECT_EQ(find_published_pre_tokenizer("gpt"), nullptr);
}

}  // namespace
}  // namespace hyalite
