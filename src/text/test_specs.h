// Small vocabularies made by hand, for tests.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/tokenizer_spec.h"
#include "text/byte_alphabet.h"

namespace hyalite {

// The 256 bytes at their own ids, then the joined piece of each merge: "l l" for two parts, "he" for two single bytes.
inline TokenizerSpec byte_level_spec(const std::vector<std::string>& merges) {
  TokenizerSpec spec;
  for (int b = 0; b < 256; ++b) spec.pieces.push_back(to_byte_alphabet(std::string(1, static_cast<char>(b))));
  const auto id_of = [&](std::string_view piece) {
    for (size_t id = 0; id < spec.pieces.size(); ++id)
      if (spec.pieces[id] == piece) return static_cast<int32_t>(id);
    return int32_t{-1};
  };
  for (const std::string& merge : merges) {
    const size_t space = merge.find(' ');
    const std::string left = merge.substr(0, space == std::string::npos ? 1 : space);
    const std::string right = merge.substr(space == std::string::npos ? 1 : space + 1);
    spec.merges.push_back({id_of(left), id_of(right), static_cast<int32_t>(spec.pieces.size())});
    spec.pieces.push_back(left + right);
  }
  spec.kinds.assign(spec.pieces.size(), TokenKind::normal);
  spec.decoders = {{.type = "ByteLevel"}};
  return spec;
}

inline constexpr int32_t kUnk = 0, kBos = 1, kSpace = 2, kG = 3, kSpaceG = 4, kFirstByte = 5;
inline int32_t byte_id(int byte) {
  return kFirstByte + byte;
}

// SentencePiece BPE with byte fallback: <unk> <s> ▁ G ▁G and the bytes.
inline TokenizerSpec sentencepiece_spec(bool space_prefix) {
  TokenizerSpec spec;
  spec.model = TokenizerModel::bpe_scores;
  spec.pieces = {"<unk>", "<s>", "\u2581", "G", "\u2581G"};
  spec.kinds = {TokenKind::unknown, TokenKind::control, TokenKind::normal, TokenKind::normal, TokenKind::normal};
  for (int b = 0; b < 256; ++b) {
    constexpr char kHex[] = "0123456789ABCDEF";
    spec.pieces.push_back(std::string("<0x") + kHex[b / 16] + kHex[b % 16] + ">");
    spec.kinds.push_back(TokenKind::byte);
  }
  spec.scores.assign(spec.pieces.size(), -1.0f);
  spec.byte_fallback = spec.fuse_unknown = true;
  spec.unk = kUnk;
  spec.bos = kBos;
  spec.prefix = {kBos};
  spec.added = {{.id = kBos, .text = "<s>", .special = true}};
  spec.normalizers = {{.type = "Replace", .pattern = "\\Q \\E", .content = "\u2581"}};
  spec.decoders = {{.type = "Replace", .pattern = "\\Q\u2581\\E", .content = " "}, {.type = "ByteFallback"}, {.type = "Fuse"}};
  if (space_prefix) {
    spec.normalizers.push_back({.type = "Prepend", .content = "\u2581"});
    spec.decoders.push_back({.type = "Strip", .content = " ", .start = 1});
  }
  return spec;
}

}  // namespace hyalite
