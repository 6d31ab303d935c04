#include "importers/gguf_tokenizer.h"

#include <algorithm>

#include "base/base64.h"
#include "base/error.h"
#include "base/tokenizer_limits.h"
#include "base/utf8.h"
#include "importers/pre_tokenizer_table.h"
#include "importers/vocabulary_builder.h"

namespace hyalite {
namespace {

constexpr const char* kModel = "tokenizer.ggml.model";
constexpr const char* kPre = "tokenizer.ggml.pre";
constexpr const char* kTokens = "tokenizer.ggml.tokens";
constexpr const char* kScores = "tokenizer.ggml.scores";
constexpr const char* kTypes = "tokenizer.ggml.token_type";
constexpr const char* kMerges = "tokenizer.ggml.merges";
constexpr const char* kTemplate = "tokenizer.chat_template";
constexpr const char* kCharsmap = "tokenizer.ggml.precompiled_charsmap";

TextRule rule(const char* type) {
  return {.type = type};
}

class GgufTokenizer {
 public:
  explicit GgufTokenizer(const GgufMetadata& metadata) : metadata_(metadata) {}

  TokenizerSpec read() {
    read_pieces();
    const std::string_view model = metadata_.string(kModel).value_or("");
    if (model == "gpt2")
      read_byte_level();
    else if (model == "llama")
      read_sentencepiece();
    else if (model == "t5")
      read_unigram();
    else if (model == "gemma4")
      read_merge_list();
    else
      throw Error(ErrorCode::unsupported, metadata_.file() + ": key " + kModel,
                  "tokenizer model \"" + std::string(model) + "\" is not known");
    read_special_ids();
    read_answer_ends();
    spec_.chat_template = metadata_.string(kTemplate).value_or("");
    if (valid_prefix(spec_.chat_template) != spec_.chat_template.size()) metadata_.refuse(kTemplate, "is not valid UTF-8");
    return std::move(spec_);
  }

 private:
  void read_pieces() {
    const std::vector<std::string_view> tokens = metadata_.strings(kTokens);
    if (tokens.empty()) metadata_.refuse(kTokens, "is missing or empty: the file has no vocabulary");
    size_t bytes = 0;
    for (std::string_view token : tokens) bytes += token.size();
    if (bytes > kMaxPieceBytes) metadata_.refuse(kTokens, "has more than " + std::to_string(kMaxPieceBytes) + " bytes of pieces");
    spec_.pieces.reserve(tokens.size(), bytes);
    for (std::string_view token : tokens) {
      if (valid_prefix(token) != token.size())
        metadata_.refuse(kTokens, "entry " + std::to_string(spec_.pieces.size()) + " is not valid UTF-8");
      spec_.pieces.push_back(token);
    }
    read_kinds();
    for (size_t i = 0; i < tokens.size(); ++i) {
      const TokenKind kind = spec_.kinds[i];
      const bool special = kind == TokenKind::control || kind == TokenKind::unknown;
      if ((special || kind == TokenKind::user_defined) && !tokens[i].empty())
        spec_.added.push_back({.id = static_cast<int32_t>(i), .text = std::string(tokens[i]), .special = special});
    }
  }

  void read_kinds() {
    spec_.kinds.assign(spec_.pieces.size(), TokenKind::normal);
    const std::vector<int64_t> types = metadata_.integers(kTypes);
    if (types.empty()) return;
    if (types.size() != spec_.pieces.size()) metadata_.refuse(kTypes, "does not have one entry a token");
    constexpr TokenKind kKinds[] = {TokenKind::normal,       TokenKind::normal, TokenKind::unknown, TokenKind::control,
                                    TokenKind::user_defined, TokenKind::unused, TokenKind::byte};
    for (size_t i = 0; i < types.size(); ++i) {
      if (types[i] < 0 || types[i] > 6) metadata_.refuse(kTypes, "entry " + std::to_string(i) + " is " + std::to_string(types[i]));
      spec_.kinds[i] = kKinds[types[i]];
    }
  }

  void read_byte_level() {
    spec_.model = TokenizerModel::bpe_bytes;
    spec_.pre_name = metadata_.string(kPre).value_or("default");
    const PublishedPreTokenizer* published = find_published_pre_tokenizer(spec_.pre_name);
    if (published == nullptr)
      throw Error(ErrorCode::unsupported, metadata_.file() + ": key " + kPre, "pre-tokenizer \"" + spec_.pre_name + "\" is not known");
    for (std::string_view pattern : published->patterns)
      spec_.pre_tokenizers.push_back({.type = "Split", .pattern = std::string(pattern), .behavior = "Isolated"});
    spec_.ignore_merges = published->ignore_merges;
    spec_.decoders = {rule("ByteLevel")};
    read_merges();
    read_ends(published->add_bos, false);
  }

  void read_sentencepiece() {
    spec_.model = TokenizerModel::bpe_scores;
    spec_.fuse_unknown = true;
    spec_.unk = 0;
    read_scores();
    read_spaces(true);
    read_ends(true, false);
  }

  void read_unigram() {
    spec_.model = TokenizerModel::unigram;
    spec_.fuse_unknown = true;
    spec_.unk = 2;
    read_scores();
    read_charsmap();
    if (metadata_.boolean("tokenizer.ggml.remove_extra_whitespaces").value_or(false)) {
      spec_.normalizers.push_back({.type = "Strip", .start = 1, .stop = 1});
      spec_.normalizers.push_back({.type = "Replace", .pattern = " {2,}", .content = " "});
    }
    read_spaces(false);
    read_ends(false, true);
  }

  void read_merge_list() {
    spec_.model = TokenizerModel::bpe_merges;
    spec_.pre_name = "gemma4";
    spec_.normalizers = {literal_replace(" ", kSpaceMark)};
    spec_.pre_tokenizers = {{.type = "Split", .pattern = R"([^\n]+|[\n]+)", .behavior = "Isolated"}};
    spec_.byte_fallback = true;
    spec_.decoders = {literal_replace(kSpaceMark, " "), rule("ByteFallback"), rule("Fuse")};
    read_merges();
    read_ends(true, false);
  }

  // SentencePiece writes spaces as U+2581 and may put one before the first word.
  void read_spaces(bool prefix_by_default) {
    const bool prefix = metadata_.boolean("tokenizer.ggml.add_space_prefix").value_or(prefix_by_default);
    spec_.normalizers.push_back(literal_replace(" ", kSpaceMark));
    if (prefix) spec_.normalizers.push_back({.type = "Prepend", .content = std::string(kSpaceMark)});
    spec_.byte_fallback = std::find(spec_.kinds.begin(), spec_.kinds.end(), TokenKind::byte) != spec_.kinds.end();
    spec_.decoders = {literal_replace(kSpaceMark, " "), rule("ByteFallback"), rule("Fuse")};
    if (prefix) spec_.decoders.push_back({.type = "Strip", .content = " ", .start = 1});
  }

  void read_scores() {
    const std::vector<float> scores = metadata_.floats(kScores);
    spec_.scores.assign(scores.begin(), scores.end());
    if (spec_.scores.size() != spec_.pieces.size()) metadata_.refuse(kScores, "does not have one entry a token");
  }

  void read_charsmap() {
    const std::vector<int64_t> bytes = metadata_.integers(kCharsmap);
    if (bytes.empty()) return;
    std::string blob;
    for (int64_t b : bytes) blob.push_back(static_cast<char>(b));
    spec_.normalizers.push_back({.type = "Precompiled", .content = to_base64(blob)});
  }

  void read_merges() {
    if (!metadata_.has(kMerges)) metadata_.refuse(kMerges, "is missing");
    const std::vector<std::string_view> merges = metadata_.strings(kMerges);
    MergeBuilder builder(spec_.pieces, metadata_.file() + ": key " + kMerges);
    builder.reserve(merges.size());
    for (std::string_view merge : merges) {
      const size_t space = merge.find(' ', 1);
      if (space == std::string_view::npos)
        metadata_.refuse(kMerges, "entry " + std::to_string(builder.size()) + " is not two pieces with a space between them");
      builder.add(merge.substr(0, space), merge.substr(space + 1));
    }
    spec_.merges = builder.take();
  }

  void read_special_ids() {
    read_id("tokenizer.ggml.bos_token_id", spec_.bos);
    read_id("tokenizer.ggml.eos_token_id", spec_.eos);
    read_id("tokenizer.ggml.padding_token_id", spec_.pad);
    int32_t unknown = -1;
    read_id("tokenizer.ggml.unknown_token_id", unknown);
    // Byte-level vocabularies drop a byte without a piece, whatever the file calls unknown.
    if (unknown >= 0 && spec_.model != TokenizerModel::bpe_bytes) spec_.unk = unknown;
    if (spec_.unk >= static_cast<int32_t>(spec_.pieces.size())) spec_.unk = -1;
    if (add_bos_ && spec_.bos < 0) metadata_.refuse("tokenizer.ggml.bos_token_id", "is missing, but texts begin with it");
    if (add_eos_ && spec_.eos < 0) metadata_.refuse("tokenizer.ggml.eos_token_id", "is missing, but texts end with it");
    if (add_bos_) spec_.prefix = {spec_.bos};
    if (add_eos_) spec_.suffix = {spec_.eos};
  }

  void read_ends(bool add_bos, bool add_eos) {
    add_bos_ = metadata_.boolean("tokenizer.ggml.add_bos_token").value_or(add_bos);
    add_eos_ = metadata_.boolean("tokenizer.ggml.add_eos_token").value_or(add_eos);
    if (spec_.model == TokenizerModel::bpe_scores) {
      spec_.bos = 1;  // SentencePiece's own ids, where the file has none
      spec_.eos = 2;
    }
  }

  void read_id(const char* key, int32_t& id) {
    const std::optional<uint64_t> value = metadata_.unsigned_integer(key);
    if (!value) return;
    if (*value >= spec_.pieces.size())
      metadata_.refuse(key, "is " + std::to_string(*value) + ", but the vocabulary has " + std::to_string(spec_.pieces.size()));
    id = static_cast<int32_t>(*value);
  }

  void read_answer_ends() {
    std::vector<int32_t>& ends = spec_.end_of_generation;
    if (spec_.eos >= 0) ends.push_back(spec_.eos);
    for (const char* key : {"tokenizer.ggml.eot_token_id", "tokenizer.ggml.eom_token_id"}) {
      int32_t id = -1;
      read_id(key, id);
      if (id >= 0) ends.push_back(id);
    }
    add_usual_answer_ends(spec_);
    std::sort(ends.begin(), ends.end());
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  }

  const GgufMetadata& metadata_;
  TokenizerSpec spec_;
  bool add_bos_ = false, add_eos_ = false;
};

}  // namespace

TokenizerSpec import_gguf_tokenizer(const GgufMetadata& metadata) {
  return GgufTokenizer(metadata).read();
}

}  // namespace hyalite
