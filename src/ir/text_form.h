// Pieces of the text form that printer and parser must agree on.
#pragma once

#include <string>
#include <string_view>

namespace hyalite {

inline bool is_word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

bool is_word(std::string_view text);                 // not empty, word characters only
std::string string_literal(std::string_view bytes);  // a string literal, in double quotes

// Length in bytes of the UTF-8 sequence that `text` begins with, or 0 where it begins with none (RFC 3629).
size_t utf8_length(std::string_view text);

}  // namespace hyalite
