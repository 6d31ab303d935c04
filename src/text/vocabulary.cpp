#include "text/vocabulary.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/tokenizer_limits.h"
#include "base/utf8.h"
#include "text/byte_alphabet.h"

namespace hyalite {
namespace {

[[noreturn]] void refuse(const std::string& field, const std::string& message) {
  throw Error(ErrorCode::invalid_model, "tokenizer: " + field, message);
}

void check_id(int64_t id, const TokenizerSpec& spec, const std::string& field) {
  if (id < 0 || id >= static_cast<int64_t>(spec.pieces.size()))
    refuse(field, "id " + std::to_string(id) + " is outside the vocabulary of " + std::to_string(spec.pieces.size()));
}

void check_sizes(const TokenizerSpec& spec) {
  const auto check = [](size_t size, size_t most, const char* field) {
    if (size > most) refuse(field, "has " + std::to_string(size) + " entries, more than " + std::to_string(most));
  };
  check(spec.normalizers.size(), kMaxTextRules, "normalizer");
  check(spec.pre_tokenizers.size(), kMaxTextRules, "pre_tokenizer");
  check(spec.decoders.size(), kMaxTextRules, "decoder");
  check(spec.prefix.size(), kMaxTemplateIds, "prefix");
  check(spec.suffix.size(), kMaxTemplateIds, "suffix");
}

void check_spec(const TokenizerSpec& spec) {
  if (spec.pieces.empty()) refuse("pieces", "the vocabulary is empty");
  if (spec.pieces.size() > INT32_MAX || spec.pieces.text().size() > kMaxPieceBytes) refuse("pieces", "the vocabulary is too large");
  if (spec.kinds.size() != spec.pieces.size()) refuse("kinds", "there must be one a piece");
  const bool scored = spec.model == TokenizerModel::bpe_scores || spec.model == TokenizerModel::unigram;
  if (scored ? spec.scores.size() != spec.pieces.size() : !spec.scores.empty() && spec.scores.size() != spec.pieces.size())
    refuse("scores", "there must be one a piece");
  if (!std::all_of(spec.scores.begin(), spec.scores.end(), [](double s) { return std::abs(s) <= std::numeric_limits<float>::max(); }))
    refuse("scores", "one is no finite float");
  for (const TokenMerge& merge : spec.merges) {
    check_id(merge.left, spec, "merges");
    check_id(merge.right, spec, "merges");
    check_id(merge.result, spec, "merges");
  }
  check_sizes(spec);
  for (const AddedToken& token : spec.added) check_id(token.id, spec, "added tokens");
  for (int32_t id : spec.prefix) check_id(id, spec, "prefix");
  for (int32_t id : spec.suffix) check_id(id, spec, "suffix");
  for (int32_t id : spec.end_of_generation) check_id(id, spec, "end of generation");
  for (int32_t id : {spec.bos, spec.eos, spec.unk, spec.pad})
    if (id != -1) check_id(id, spec, "special ids");
}

}  // namespace

Vocabulary::Vocabulary(const TokenizerSpec& spec) : kinds_(spec.kinds), index_(spec.pieces.size()) {
  check_spec(spec);
  for (const AddedToken& token : spec.added)
    if (TokenKind& kind = kinds_[static_cast<size_t>(token.id)]; token.special && kind != TokenKind::unused) kind = TokenKind::control;
  fill_pieces(spec);
  fill_byte_tokens(spec);
}

void Vocabulary::fill_pieces(const TokenizerSpec& spec) {
  const bool bytes = spec.model == TokenizerModel::bpe_bytes, scores = spec.model == TokenizerModel::bpe_scores;
  pieces_.reserve(spec.pieces.size(), spec.pieces.text().size());
  std::string decoded;
  for (size_t i = 0; i < spec.pieces.size(); ++i) {
    const TokenKind kind = kinds_[i];
    const bool matched = kind == TokenKind::normal || (scores && (kind == TokenKind::user_defined || kind == TokenKind::unused));
    std::string_view piece = spec.pieces[i];
    if (valid_prefix(piece) != piece.size()) refuse("pieces", "piece " + std::to_string(i) + " is not valid UTF-8");
    decoded.clear();
    if (bytes && matched && append_from_byte_alphabet(piece, decoded)) piece = decoded;
    pieces_.push_back(piece);
    if (!matched || piece.empty()) continue;
    index_.add(static_cast<int32_t>(i), pieces_);
    longest_ = std::max(longest_, piece.size());
  }
}

void Vocabulary::fill_byte_tokens(const TokenizerSpec& spec) {
  byte_tokens_.fill(-1);
  if (spec.model == TokenizerModel::bpe_bytes) {
    for (int b = 0; b < 256; ++b) {
      const char byte = static_cast<char>(b);
      byte_tokens_[static_cast<size_t>(b)] = find({&byte, 1});
    }
    return;
  }
  if (!spec.byte_fallback) return;
  for (int32_t id = 0; id < size(); ++id) {
    const int byte = byte_of_piece(piece(id));
    if (byte >= 0 && byte_tokens_[static_cast<size_t>(byte)] < 0) byte_tokens_[static_cast<size_t>(byte)] = id;
  }
}

}  // namespace hyalite
