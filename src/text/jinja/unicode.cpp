#include "text/jinja/unicode.h"

#include <utf8proc.h>

namespace hyalite::jinja {

CodePoint code_point_at(std::string_view text, size_t offset) {
  auto byte = static_cast<unsigned char>(text[offset]);
  if (byte < 0x80) return {byte, 1};
  utf8proc_int32_t value = 0;
  auto bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data() + offset);
  utf8proc_ssize_t size = utf8proc_iterate(bytes, static_cast<utf8proc_ssize_t>(text.size() - offset), &value);
  if (size <= 0) return {-1, 1};
  return {value, static_cast<size_t>(size)};
}

size_t count_code_points(std::string_view text) {
  size_t count = 0;
  for (size_t at = 0; at < text.size(); at += code_point_at(text, at).size) ++count;
  return count;
}

size_t offset_of_code_point(std::string_view text, size_t index) {
  size_t at = 0;
  while (index > 0 && at < text.size()) {
    at += code_point_at(text, at).size;
    --index;
  }
  return at;
}

void append_utf8(std::string& out, int32_t code_point) {
  utf8proc_uint8_t bytes[4];
  utf8proc_ssize_t size = utf8proc_encode_char(code_point, bytes);
  out.append(reinterpret_cast<char*>(bytes), static_cast<size_t>(size));
}

namespace {
utf8proc_category_t category(int32_t c) {
  return c < 0 ? UTF8PROC_CATEGORY_CN : utf8proc_category(c);
}
}  // namespace

bool is_space(int32_t c) {
  if (c < 0x80) return (c >= 0x09 && c <= 0x0d) || (c >= 0x1c && c <= 0x20);
  auto kind = category(c);
  return c == 0x85 || kind == UTF8PROC_CATEGORY_ZS || kind == UTF8PROC_CATEGORY_ZL || kind == UTF8PROC_CATEGORY_ZP;
}

bool is_alpha(int32_t c) {
  auto kind = category(c);
  return kind == UTF8PROC_CATEGORY_LU || kind == UTF8PROC_CATEGORY_LL || kind == UTF8PROC_CATEGORY_LT || kind == UTF8PROC_CATEGORY_LM ||
         kind == UTF8PROC_CATEGORY_LO;
}

bool is_digit(int32_t c) {
  bool superscript = c == 0xb2 || c == 0xb3 || c == 0xb9 || (c >= 0x2070 && c <= 0x2089);
  return superscript || category(c) == UTF8PROC_CATEGORY_ND;
}

bool is_numeric(int32_t c) {
  auto kind = category(c);
  return is_digit(c) || kind == UTF8PROC_CATEGORY_NL || kind == UTF8PROC_CATEGORY_NO;
}

bool is_upper(int32_t c) {
  return category(c) == UTF8PROC_CATEGORY_LU;
}

bool is_lower(int32_t c) {
  return category(c) == UTF8PROC_CATEGORY_LL;
}

bool is_printable(int32_t c) {
  if (c == ' ') return true;
  switch (category(c)) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
    case UTF8PROC_CATEGORY_ZS: return false;
    default: return true;
  }
}

void append_upper(std::string& out, int32_t c) {
  if (c == 0xdf) {
    out += "SS";
  } else {
    append_utf8(out, utf8proc_toupper(c));
  }
}

void append_lower(std::string& out, int32_t c) {
  if (c == 0x130) {  // capital i with a dot: the only character that becomes two
    out += "i\u0307";
  } else {
    append_utf8(out, utf8proc_tolower(c));
  }
}

void append_title(std::string& out, int32_t c) {
  if (c == 0xdf) {
    out += "Ss";
  } else {
    append_utf8(out, utf8proc_totitle(c));
  }
}

}  // namespace hyalite::jinja
