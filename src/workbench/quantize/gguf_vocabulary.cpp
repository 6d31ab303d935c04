#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "importers/pre_tokenizer_table.h"
#include "workbench/quantize/gguf_keys.h"

namespace hyalite {
namespace {

class Vocabulary {
 public:
  Vocabulary(const TokenizerSpec& spec, int64_t rows, const std::string& where, GgufPairs& pairs, std::vector<std::string>& remarks)
      : spec_(spec), rows_(static_cast<size_t>(rows)), where_(where), pairs_(pairs), remarks_(remarks) {}

  void add() {
    if (spec_.pieces.size() > rows_) refuse("has " + std::to_string(spec_.pieces.size()) + " tokens for fewer rows of the embedding");
    switch (spec_.model) {
      case TokenizerModel::bpe_bytes: add_byte_level(); break;
      case TokenizerModel::bpe_merges: add_sentencepiece(); break;
      default: refuse("is of a kind that GGUF files of decoders do not have");
    }
    add_ends();
    if (!spec_.chat_template.empty()) pairs_.set_string("tokenizer.chat_template", spec_.chat_template);
  }

 private:
  [[noreturn]] void refuse(const std::string& message) const { throw Error(ErrorCode::unsupported, where_ + ": tokenizer", message); }

  void add_byte_level() {
    pairs_.set_string("tokenizer.ggml.model", "gpt2");
    pairs_.set_string("tokenizer.ggml.pre", pre_tokenizer_name());
    for (const TextRule& rule : spec_.normalizers) remarks_.push_back("llama.cpp does not run the tokenizer's normalizer " + rule.type);
    add_pieces();
    std::vector<std::string> merges;
    for (const TokenMerge& merge : spec_.merges)
      merges.push_back(fmt::format("{} {}", spec_.pieces[merge.left], spec_.pieces[merge.right]));
    pairs_.set_strings("tokenizer.ggml.merges", merges);
  }

  // The name that the patterns of this pre-tokenizer have in GGUF files.
  std::string_view pre_tokenizer_name() const {
    std::vector<std::string> patterns;
    for (const TextRule& rule : spec_.pre_tokenizers) {
      if (rule.type == "Split" && rule.behavior == "Isolated" && !rule.invert)
        patterns.push_back(rule.pattern);
      else if (rule.type == "Digits")
        patterns.emplace_back(rule.flag ? R"(\p{N})" : R"(\p{N}+)");
      else if (rule.type == "ByteLevel" && !rule.flag)
        add_gpt2_pattern(rule, patterns);
      else
        refuse("has the pre-tokenizer " + rule.type + " in a form that no GGUF file names");
    }
    const std::string_view name = name_of_published_pre_tokenizer(patterns, spec_.ignore_merges);
    if (name.empty()) refuse("has a pre-tokenizer that no GGUF file names");
    return name;
  }

  static void add_gpt2_pattern(const TextRule& rule, std::vector<std::string>& patterns) {
    if (rule.use_regex) patterns.emplace_back(find_published_pre_tokenizer("gpt-2")->patterns.front());
  }

  // SentencePiece merges by score; earlier merges have the higher one.
  void add_sentencepiece() {
    pairs_.set_string("tokenizer.ggml.model", "llama");
    pairs_.set_string("tokenizer.ggml.pre", "default");
    add_pieces();
    std::vector<float> scores(rows_, -static_cast<float>(spec_.merges.size()) - 1);
    for (size_t rank = spec_.merges.size(); rank-- > 0;) scores[spec_.merges[rank].result] = -static_cast<float>(rank);
    pairs_.set_f32s("tokenizer.ggml.scores", scores);
    auto prepends = [](const TextRule& rule) {
      return (rule.type == "Prepend" && rule.content == kSpaceMark) || (rule.type == "Metaspace" && rule.flag);
    };
    const bool prefix = std::ranges::any_of(spec_.normalizers, prepends) || std::ranges::any_of(spec_.pre_tokenizers, prepends);
    pairs_.set_boolean("tokenizer.ggml.add_space_prefix", prefix);
  }

  void add_pieces() {
    constexpr int32_t kNormal = 1, kUnknown = 2, kControl = 3, kUserDefined = 4, kUnused = 5, kByte = 6;
    constexpr int32_t kNumbers[] = {kNormal, kUnknown, kControl, kUserDefined, kUnused, kByte};  // by TokenKind
    std::vector<std::string> tokens;
    std::vector<int32_t> types;
    for (size_t id = 0; id < rows_; ++id) {
      const bool there = id < spec_.pieces.size() && !spec_.pieces[id].empty();
      tokens.push_back(there ? std::string(spec_.pieces[id]) : fmt::format("[PAD{}]", id));
      types.push_back(there ? kNumbers[static_cast<int>(spec_.kinds[id])] : kUnused);
    }
    if (spec_.unk >= 0 && types[spec_.unk] == kNormal) types[spec_.unk] = kUnknown;
    pairs_.set_strings("tokenizer.ggml.tokens", tokens);
    pairs_.set_i32s("tokenizer.ggml.token_type", types);
  }

  void add_ends() {
    auto id = [&](const char* key, int32_t value) {
      if (value >= 0) pairs_.set_u32(key, static_cast<uint32_t>(value));
    };
    id("tokenizer.ggml.bos_token_id", spec_.bos);
    id("tokenizer.ggml.eos_token_id", spec_.eos);
    id("tokenizer.ggml.padding_token_id", spec_.pad);
    id("tokenizer.ggml.unknown_token_id", spec_.unk);
    for (int32_t end : spec_.end_of_generation)
      if (end != spec_.eos) {
        id("tokenizer.ggml.eot_token_id", end);
        break;
      }
    auto only = [](const std::vector<int32_t>& ids, int32_t wanted) { return wanted >= 0 && ids == std::vector<int32_t>{wanted}; };
    if (!spec_.prefix.empty() && !only(spec_.prefix, spec_.bos)) refuse("begins texts with other tokens than the beginning token");
    if (!spec_.suffix.empty() && !only(spec_.suffix, spec_.eos)) refuse("ends texts with other tokens than the end token");
    pairs_.set_boolean("tokenizer.ggml.add_bos_token", !spec_.prefix.empty());
    pairs_.set_boolean("tokenizer.ggml.add_eos_token", !spec_.suffix.empty());
  }

  const TokenizerSpec& spec_;
  const size_t rows_;
  const std::string& where_;
  GgufPairs& pairs_;
  std::vector<std::string>& remarks_;
};

}  // namespace

void add_tokenizer_keys(const TokenizerSpec& spec, int64_t rows, const std::string& where, GgufPairs& pairs,
                        std::vector<std::string>& remarks) {
  Vocabulary(spec, rows, where, pairs, remarks).add();
}

}  // namespace hyalite
