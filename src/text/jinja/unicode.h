// UTF-8 in terms of Python's str: code points, case mappings, character classes. Bytes that are no UTF-8 count as one character each
// and are carried through unchanged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace hyalite::jinja {

struct CodePoint {
  int32_t value;  // -1 for a byte that is no UTF-8
  size_t size;    // bytes
};

// The character at `offset`. REQUIRES: offset < text.size().
CodePoint code_point_at(std::string_view text, size_t offset);

// Characters in `text`.
size_t count_code_points(std::string_view text);

// Byte offset of character number `index`, at most text.size().
size_t offset_of_code_point(std::string_view text, size_t index);

void append_utf8(std::string& out, int32_t code_point);

// Python's str.isspace, isalpha, isdigit, isnumeric, isupper, islower, isprintable for one character.
bool is_space(int32_t c);
bool is_alpha(int32_t c);
bool is_digit(int32_t c);
bool is_numeric(int32_t c);
bool is_upper(int32_t c);
bool is_lower(int32_t c);
bool is_printable(int32_t c);

// Simple case mappings, and the two full ones that text meets (sharp s, and the ligatures keep their simple mapping).
void append_upper(std::string& out, int32_t c);
void append_lower(std::string& out, int32_t c);
void append_title(std::string& out, int32_t c);

}  // namespace hyalite::jinja
