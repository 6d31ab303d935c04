#include "base/tokenizer_spec.h"

#include <algorithm>

namespace hyalite {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

std::string_view piece_of(const TokenizerSpec& spec, size_t id) {
  const bool used = id < spec.pieces.size() && spec.kinds[id] != TokenKind::unused;
  return used ? spec.pieces[id] : std::string_view();
}

}  // namespace

TextRule literal_replace(std::string_view from, std::string_view to) {
  return {.type = "Replace", .pattern = "\\Q" + std::string(from) + "\\E", .content = std::string(to)};
}

std::optional<PieceDifference> first_difference(const TokenizerSpec& one, const TokenizerSpec& other) {
  for (size_t id = 0; id < std::max(one.pieces.size(), other.pieces.size()); ++id)
    if (const std::string_view here = piece_of(one, id), there = piece_of(other, id); here != there)
      return PieceDifference{static_cast<int32_t>(id), here, there};
  return std::nullopt;
}

int byte_of_piece(std::string_view piece) {
  if (piece.size() != 6 || !piece.starts_with("<0x") || piece[5] != '>') return -1;
  const int high = hex_digit(piece[3]), low = hex_digit(piece[4]);
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

}  // namespace hyalite
