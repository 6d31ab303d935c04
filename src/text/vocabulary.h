// The pieces of a vocabulary as text that a model matches, and what each piece is.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/tokenizer_spec.h"

namespace hyalite {

// Immutable.
class Vocabulary {
 public:
  // Throws what check_spec (base/tokenizer_check.h) says. bpe_bytes pieces are turned from the byte alphabet to bytes.
  explicit Vocabulary(const TokenizerSpec& spec);

  int32_t size() const { return static_cast<int32_t>(pieces_.size()); }
  bool contains(int32_t id) const { return id >= 0 && id < size(); }
  TokenKind kind(int32_t id) const { return kinds_[static_cast<size_t>(id)]; }
  // The text that the model matches: bytes for bpe_bytes, else UTF-8 with U+2581 for spaces. REQUIRES: contains(id).
  std::string_view piece(int32_t id) const { return pieces_[static_cast<size_t>(id)]; }

  // The piece with this text that ordinary text may become, or -1: never a control, unknown or byte token.
  int32_t find(std::string_view text) const { return index_.find(text, pieces_); }
  // The token of a byte: its one-byte piece for bpe_bytes, else its <0xNN> piece; -1 where the vocabulary has none.
  int32_t byte_token(uint8_t byte) const { return byte_tokens_[byte]; }
  size_t longest_piece() const { return longest_; }  // bytes

 private:
  void fill_pieces(const TokenizerSpec& spec);
  void fill_byte_tokens(const TokenizerSpec& spec);

  StringTable pieces_;
  std::vector<TokenKind> kinds_;
  StringIndex index_;
  std::array<int32_t, 256> byte_tokens_;
  size_t longest_ = 0;
};

}  // namespace hyalite
