#include "ir/text_form.h"

#include <algorithm>

namespace hyalite {
namespace {

constexpr char kHexDigits[] = "0123456789abcdef";

// Smallest code point that needs 2, 3 or 4 bytes; a smaller one in as many bytes is an overlong form.
constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};

}  // namespace

bool is_word(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_word_char);
}

size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return 1;
  const size_t length = byte(0) >> 5 == 0x6 ? 2 : byte(0) >> 4 == 0xe ? 3 : byte(0) >> 3 == 0x1e ? 4 : 0;
  if (length == 0 || text.size() < length) return 0;
  uint32_t point = byte(0) & (0x7f >> length);
  for (size_t i = 1; i < length; ++i) {
    if (byte(i) >> 6 != 0x2) return 0;
    point = point << 6 | (byte(i) & 0x3f);
  }
  bool surrogate = point >= 0xd800 && point <= 0xdfff;
  return point >= kLeast[length] && point <= 0x10ffff && !surrogate ? length : 0;
}

std::string string_literal(std::string_view bytes) {
  std::string text = "\"";
  while (!bytes.empty()) {
    const char c = bytes[0];
    size_t length = utf8_length(bytes);
    if (c == '"' || c == '\\') {
      text += {'\\', c};
    } else if (c == '\n' || c == '\t' || c == '\r') {
      text += {'\\', c == '\n' ? 'n' : c == '\t' ? 't' : 'r'};
    } else if (length == 0 || static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      text += {'\\', 'x', kHexDigits[static_cast<unsigned char>(c) >> 4], kHexDigits[c & 15]};
      length = 1;
    } else {
      text += bytes.substr(0, length);
    }
    bytes.remove_prefix(length);
  }
  return text + '"';
}

}  // namespace hyalite
