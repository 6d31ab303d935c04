// UTF-8 in and out, with validity as RFC 3629 defines it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hyalite {

struct Character {
  char32_t code;
  uint32_t bytes;
};

// Length in bytes of the valid UTF-8 sequence at the start of `text`, 0 where there is none (also for surrogates and overlong forms).
uint32_t valid_sequence(std::string_view text);

// Bytes of `text` up to the first invalid one.
size_t valid_prefix(std::string_view text);

// Whether `part`, which is not empty, is the beginning of a character that lacks bytes.
bool may_become_character(std::string_view part);

// The text with U+FFFD in place of what is not valid: one for the longest beginning of a character, or for a byte that begins none. That
// is the practice of the Unicode standard (section 3.9), of Python and of Rust.
std::string valid_text(std::string text);

// The first character of valid, non-empty UTF-8.
inline Character decode_character(std::string_view text) {
  const auto at = [&](size_t i) { return static_cast<uint32_t>(static_cast<uint8_t>(text[i])); };
  const uint32_t lead = at(0);
  if (lead < 0x80) return {lead, 1};
  if (lead < 0xe0) return {(lead & 0x1f) << 6 | (at(1) & 0x3f), 2};
  if (lead < 0xf0) return {(lead & 0x0f) << 12 | (at(1) & 0x3f) << 6 | (at(2) & 0x3f), 3};
  return {(lead & 0x07) << 18 | (at(1) & 0x3f) << 12 | (at(2) & 0x3f) << 6 | (at(3) & 0x3f), 4};
}

// The last character of valid, non-empty UTF-8.
inline Character decode_last_character(std::string_view text) {
  size_t begin = text.size() - 1;
  while (begin > 0 && (static_cast<uint8_t>(text[begin]) & 0xc0) == 0x80) --begin;
  return decode_character(text.substr(begin));
}

void append_utf8(char32_t code, std::string& out);

// How many bytes a sequence with this lead byte announces (1 for bytes that lead nothing).
inline uint32_t announced_bytes(uint8_t lead) {
  if (lead < 0xc2 || lead > 0xf4) return 1;
  return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

}  // namespace hyalite
