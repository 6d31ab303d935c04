#include "importers/tokenizer_json.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "base/tokenizer_limits.h"

namespace hyalite {
namespace {

constexpr const char* kGood = R"({
  "added_tokens": [{"id": 3, "content": "<s>", "special": true}, {"id": 6, "content": "tool"}],
  "normalizer": {"type": "Replace", "pattern": {"String": " "}, "content": "_"},
  "pre_tokenizer": {"type": "Split", "pattern": {"Regex": "\\d"}, "behavior": "Removed", "invert": true},
  "post_processor": {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
                     "special_tokens": {"<s>": {"id": "<s>", "ids": [3], "tokens": ["<s>"]}}},
  "decoder": {"type": "Fuse"},
  "model": {"type": "BPE", "byte_fallback": true, "vocab": {"a": 0, "b": 1, "ab": 2, "<s>": 3, "<0x0A>": 4}, "merges": ["a b"]}
})";

std::string replaced(const std::string& from, const std::string& to) {
  std::string text = kGood;
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

Error refusal(const std::string& text) {
  try {
    import_tokenizer_json(text, "tokenizer.json");
  } catch (const Error& error) {
    return error;
  }
  return Error(ErrorCode::internal, "accepted", text.substr(0, 100));
}

TEST(TokenizerJson, ReadsAllParts) {
  const TokenizerSpec spec = import_tokenizer_json(kGood, "tokenizer.json");
  EXPECT_EQ(spec.model, TokenizerModel::bpe_merges);
  EXPECT_EQ(spec.pieces, (StringTable{"a", "b", "ab", "<s>", "<0x0A>", "", "tool"}));  // id 5 is a gap, id 6 lies above the vocabulary
  EXPECT_EQ(spec.kinds[3], TokenKind::control);
  EXPECT_EQ(spec.kinds[4], TokenKind::byte);
  EXPECT_EQ(spec.kinds[5], TokenKind::unused);
  EXPECT_EQ(spec.kinds[6], TokenKind::user_defined);
  EXPECT_TRUE(spec.added[1].normalized);
  EXPECT_EQ(spec.merges, (std::vector<TokenMerge>{{0, 1, 2}}));
  EXPECT_EQ(spec.normalizers[0].pattern, "\\Q \\E");
  EXPECT_TRUE(spec.pre_tokenizers[0].invert);
  EXPECT_EQ(spec.prefix, (std::vector<int32_t>{3}));
  EXPECT_EQ(import_tokenizer_json(replaced(R"("a b")", R"(["a", "b"])"), "tokenizer.json"), spec);
}

TEST(TokenizerJson, KeepsUnigramScoresAsDoubles) {
  const char* text = R"({"model": {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0], ["a", -1.0000000001]]}})";
  EXPECT_EQ(import_tokenizer_json(text, "tokenizer.json").scores, (std::vector<double>{0, -1.0000000001}));
}

TEST(TokenizerJson, PutsSpacesBetweenTokensWhereThereIsNoDecoder) {
  const TokenizerSpec spec = import_tokenizer_json(replaced(R"({"type": "Fuse"})", "null"), "tokenizer.json");
  EXPECT_EQ(spec.decoders,
            (std::vector<TextRule>{{.type = "Prepend", .content = " "}, {.type = "Fuse"}, {.type = "Strip", .content = " ", .start = 1}}));
}

TEST(TokenizerJson, RefusesUnknownPartsByName) {
  for (const auto& [from, to, name] : {std::array<std::string, 3>{R"("type": "BPE")", R"("type": "WordPiece")", "WordPiece"},
                                       {R"("type": "Replace")", R"("type": "Nmt")", "Nmt"},
                                       {R"("type": "Split")", R"("type": "UnicodeScripts")", "UnicodeScripts"},
                                       {R"("type": "TemplateProcessing")", R"("type": "Other")", "Other"},
                                       {R"("type": "Fuse")", R"("type": "CTC")", "CTC"},
                                       {R"("byte_fallback": true)", R"("continuing_subword_prefix": "##")", "continuing_subword_prefix"},
                                       {R"("byte_fallback": true)", R"("dropout": 0.1)", "dropout"}}) {
    const Error error = refusal(replaced(from, to));
    EXPECT_EQ(error.code(), ErrorCode::unsupported) << error.what();
    EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
  }
}

TEST(TokenizerJson, RefusesHostileInput) {
  for (const auto& [from, to] : {std::pair<std::string, std::string>{R"("b": 1)", R"("b": 0)"},
                                 {R"("b": 1)", R"("b": -1)"},
                                 {R"("b": 1)", R"("b": 4000000000)"},
                                 {R"("b": 1)", R"("b": 18446744073709551615)"},
                                 {R"("b": 1)", R"("b": 1.5)"},
                                 {R"("b": 1)", R"("a": 1)"},
                                 {R"("a b")", R"("a x")"},
                                 {R"("a b")", R"("ab")"},
                                 {R"("a b")", R"("b a")"},
                                 {R"("a b")", R"(["a"])"},
                                 {R"("a b")", "7"},
                                 {R"({"id": 6,)", R"({"id": 3,)"},
                                 {R"({"id": 6,)", R"({"id": 1,)"},
                                 {R"({"id": 6,)", R"({"id": 2000000000,)"},
                                 {R"({"id": 6,)", "{"},
                                 {R"("ids": [3])", R"("ids": [7])"},
                                 {R"("vocab": {)", R"("vocab": [], "other": {)"},
                                 {R"({"String": " "})", "{}"},
                                 {R"("special": true)", R"("special": 1)"}}) {
    const Error error = refusal(replaced(from, to));
    EXPECT_EQ(error.code(), ErrorCode::invalid_model) << to << ": " << error.what();
    EXPECT_EQ(error.where().find("tokenizer.json"), 0u) << error.what();
  }
  EXPECT_EQ(refusal(std::string(100000, '[')).code(), ErrorCode::invalid_model);
  for (const char* text : {"", "7", "[]", "{}", R"({"model": 3})", "\xff"})
    EXPECT_EQ(refusal(text).code(), ErrorCode::invalid_model) << text;
}

// `item`, `count` times, with commas between.
std::string list_of(const std::string& item, size_t count) {
  std::string list = item;
  for (size_t i = 1; i < count; ++i) list += ", " + item;
  return list;
}

TEST(TokenizerJson, RefusesLongPipelinesAndTemplates) {
  const auto sequence = [](size_t count) {
    return replaced(R"("pre_tokenizer": )", R"("pre_tokenizer": {"type": "Sequence", "pretokenizers": [)" +
                                                list_of(R"({"type": "Digits"})", count) + R"(]}, "other": )");
  };
  EXPECT_EQ(import_tokenizer_json(sequence(kMaxTextRules), "tokenizer.json").pre_tokenizers.size(), kMaxTextRules);
  Error error = refusal(sequence(kMaxTextRules + 1));
  EXPECT_EQ(error.where(), "tokenizer.json: pre_tokenizer") << error.what();
  EXPECT_EQ(error.code(), ErrorCode::invalid_model);

  const auto items = [](size_t count) {
    return replaced(R"("single": [)", R"("single": [)" + list_of(R"({"SpecialToken": {"id": "<s>", "type_id": 0}})", count) + ", ");
  };
  error = refusal(items(100000));
  EXPECT_EQ(error.where(), "tokenizer.json: post_processor.single") << error.what();
  error = refusal(replaced(R"("ids": [3])", R"("ids": [)" + list_of("3", kMaxTemplateIds + 1) + "]"));
  EXPECT_EQ(error.where(), "tokenizer.json: post_processor.single") << error.what();
}

TEST(TokenizerJson, ReadsTheNeighboursInADirectory) {
  const std::filesystem::path directory = std::filesystem::path(::testing::TempDir()) / "hyalite_tokenizer_json";
  std::filesystem::create_directories(directory);
  const auto write = [&](const char* name, const std::string& text) { std::ofstream(directory / name) << text; };
  write("tokenizer.json", replaced(R"("single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, )", R"("single": [)"));
  write("tokenizer_config.json", R"({"bos_token": {"content": "<s>"}, "eos_token": "ab", "add_bos_token": true,
                                     "chat_template": [{"name": "tools", "template": "t"}, {"name": "default", "template": "d"}]})");
  write("generation_config.json", R"({"eos_token_id": [1, 2]})");
  SourceFiles files;
  TokenizerSpec spec = import_tokenizer_directory(directory, files);
  EXPECT_EQ(files.size(), 3u);
  EXPECT_EQ(spec.bos, 3);
  EXPECT_EQ(spec.eos, 2);
  EXPECT_EQ(spec.prefix, (std::vector<int32_t>{3}));
  EXPECT_EQ(spec.chat_template, "d");
  EXPECT_EQ(spec.end_of_generation, (std::vector<int32_t>{1, 2}));
  write("tokenizer_config.json", R"({"chat_template": [{"name": "tools", "template": "t"}]})");
  EXPECT_THROW(import_tokenizer_directory(directory, files), Error);
  write("chat_template.jinja", "{{ own }}");
  EXPECT_EQ(import_tokenizer_directory(directory, files).chat_template, "{{ own }}");
  write("generation_config.json", R"({"eos_token_id": 99})");
  EXPECT_THROW(import_tokenizer_directory(directory, files), Error);
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace hyalite
