#include "text/vocabulary.h"

#include <algorithm>

#include "base/tokenizer_check.h"
#include "text/byte_alphabet.h"

namespace hyalite {

Vocabulary::Vocabulary(const TokenizerSpec& spec) : kinds_(spec.kinds), index_(spec.pieces.size()) {
  check_spec(spec, "tokenizer");
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
