#include "text/detokenizer.h"

#include <utility>
#include "base/utf8.h"

namespace hyalite {
namespace {

// Whether `tail` could become one character with more bytes.
bool is_open_character(std::string_view tail) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(tail[i]); };
  if (tail.size() >= announced_bytes(byte(0))) return false;
  if (tail.size() == 1) return true;
  // The second byte alone excludes overlong forms, surrogates and what lies beyond U+10FFFF.
  const uint8_t low = byte(0) == 0xe0 ? 0xa0 : byte(0) == 0xf0 ? 0x90 : 0x80;
  const uint8_t high = byte(0) == 0xed ? 0x9f : byte(0) == 0xf4 ? 0x8f : 0xbf;
  if (byte(1) < low || byte(1) > high) return false;
  return tail.size() == 2 || (byte(2) & 0xc0) == 0x80;
}

// Bytes of the incomplete character at the end.
size_t open_bytes(std::string_view text) {
  for (size_t n = 1; n <= 3 && n <= text.size(); ++n) {
    const std::string_view tail = text.substr(text.size() - n);
    if ((static_cast<uint8_t>(tail[0]) & 0xc0) != 0x80) return is_open_character(tail) ? n : 0;
  }
  return 0;
}

}  // namespace

std::string Detokenizer::push(int32_t id) {
  if (skip_special_ && tokenizer_.is_control(id)) return {};
  std::string_view bytes = tokenizer_.piece(id);
  if (opens_text_ && !bytes.empty()) {
    bytes = tokenizer_.opening(bytes);
    opens_text_ = false;
  }
  std::string text = std::exchange(pending_, {});
  text += bytes;
  const size_t open = open_bytes(text);
  pending_ = text.substr(text.size() - open);
  text.erase(text.size() - open);
  return text;
}

std::string Detokenizer::finish() {
  return std::exchange(pending_, {});
}

}  // namespace hyalite
