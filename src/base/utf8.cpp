#include "base/utf8.h"

namespace hyalite {
namespace {

bool is_continuation(char c) {
  return (static_cast<uint8_t>(c) & 0xc0) == 0x80;
}

}  // namespace

uint32_t valid_sequence(std::string_view text) {
  if (text.empty()) return 0;
  const auto lead = static_cast<uint8_t>(text[0]);
  if (lead < 0x80) return 1;
  const uint32_t bytes = announced_bytes(lead);
  if (bytes == 1 || text.size() < bytes) return 0;
  for (uint32_t i = 1; i < bytes; ++i)
    if (!is_continuation(text[i])) return 0;
  const char32_t code = decode_character(text).code;
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  return code >= kSmallest[bytes] && code <= 0x10ffff && !surrogate ? bytes : 0;
}

size_t valid_prefix(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    if (static_cast<uint8_t>(text[at]) < 0x80) {
      ++at;
      continue;
    }
    const uint32_t bytes = valid_sequence(text.substr(at));
    if (bytes == 0) break;
    at += bytes;
  }
  return at;
}

bool may_become_character(std::string_view part) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(part[i]); };
  if (part.size() >= announced_bytes(byte(0))) return false;
  if (part.size() == 1) return true;
  // The second byte alone excludes overlong forms, surrogates and what lies beyond U+10FFFF.
  const uint8_t low = byte(0) == 0xe0 ? 0xa0 : byte(0) == 0xf0 ? 0x90 : 0x80;
  const uint8_t high = byte(0) == 0xed ? 0x9f : byte(0) == 0xf4 ? 0x8f : 0xbf;
  if (byte(1) < low || byte(1) > high) return false;
  return part.size() == 2 || is_continuation(part[2]);
}

std::string valid_text(std::string text) {
  std::string_view rest = text;
  size_t valid = valid_prefix(rest);
  if (valid == rest.size()) return text;
  std::string out;
  while (valid < rest.size()) {
    out += rest.substr(0, valid);
    out += "\ufffd";
    rest.remove_prefix(valid);
    size_t broken = 1;
    while (broken < rest.size() && may_become_character(rest.substr(0, broken + 1))) ++broken;
    rest.remove_prefix(broken);
    valid = valid_prefix(rest);
  }
  return out.append(rest);
}

void append_utf8(char32_t code, std::string& out) {
  const auto put = [&](uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xc0 | code >> 6);
  } else {
    if (code < 0x10000) {
      put(0xe0 | code >> 12);
    } else {
      put(0xf0 | code >> 18);
      put(0x80 | (code >> 12 & 0x3f));
    }
    put(0x80 | (code >> 6 & 0x3f));
  }
  put(0x80 | (code & 0x3f));
}

}  // namespace hyalite
