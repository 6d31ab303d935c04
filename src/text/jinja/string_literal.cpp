#include "text/jinja/string_literal.h"

#include <charconv>

#include "text/jinja/unicode.h"

namespace hyalite::jinja {

namespace {

bool parse_code(std::string_view digits, int base, int32_t& code) {
  uint32_t value = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (error != std::errc() || end != digits.data() + digits.size() || value > 0x10ffff) return false;
  code = static_cast<int32_t>(value);
  return true;
}

bool is_surrogate(int32_t code) {
  return code >= 0xd800 && code < 0xe000;
}

// \xhh, \uhhhh and \Uhhhhhhhh; `at` is at the letter and moves behind the digits.
bool unescape_hex(std::string_view body, size_t& at, std::string& out) {
  size_t width = body[at] == 'x' ? 2 : body[at] == 'u' ? 4 : 8;
  int32_t code = 0;
  if (at + width >= body.size() || !parse_code(body.substr(at + 1, width), 16, code) || is_surrogate(code)) return false;
  append_utf8(out, code);
  at += width + 1;
  return true;
}

bool unescape_octal(std::string_view body, size_t& at, std::string& out) {
  size_t width = 1;
  while (width < 3 && at + width < body.size() && body[at + width] >= '0' && body[at + width] <= '7') ++width;
  int32_t code = 0;
  if (!parse_code(body.substr(at, width), 8, code)) return false;
  append_utf8(out, code);
  at += width;
  return true;
}

}  // namespace

bool unescape_string(std::string_view body, std::string& out) {
  static constexpr std::string_view letters = "\\'\"abfnrtv\n";
  static constexpr std::string_view meanings = "\\'\"\a\b\f\n\r\t\v";
  for (size_t at = 0; at < body.size();) {
    if (body[at] != '\\' || at + 1 >= body.size()) {
      out += body[at++];
      continue;
    }
    char letter = body[++at];
    if (size_t which = letters.find(letter); which != std::string_view::npos) {
      if (which < meanings.size()) out += meanings[which];
      ++at;
    } else if (letter == 'x' || letter == 'u' || letter == 'U') {
      if (!unescape_hex(body, at, out)) return false;
    } else if (letter >= '0' && letter <= '7') {
      if (!unescape_octal(body, at, out)) return false;
    } else if (letter == 'N') {
      return false;
    } else {
      out += '\\';
    }
  }
  return true;
}

}  // namespace hyalite::jinja
