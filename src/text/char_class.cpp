#include "text/char_class.h"

#include <utf8proc.h>

namespace hyalite {
namespace {

constexpr AsciiClasses make_ascii_classes() {
  AsciiClasses table{};
  for (int c = 0; c < 128; ++c) {
    uint8_t& bits = table.of[c];
    if (c == '\r' || c == '\n')
      bits = kSpace | kNewline;
    else if (c == ' ' || (c >= 9 && c <= 13))
      bits = kSpace;
    else if (c >= '0' && c <= '9')
      bits = kNumber;
    else if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))
      bits = kLetter;
    else if (c == '$' || c == '+' || (c >= '<' && c <= '>') || c == '^' || c == '`' || c == '|' || c == '~')
      bits = kSymbol;
    else if (c > ' ' && c < 127)
      bits = kPunctuation;
  }
  return table;
}

}  // namespace

constexpr AsciiClasses kAscii = make_ascii_classes();

uint8_t wide_char_class(char32_t code) {
  const bool space = code == 0x85 || code == 0xa0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200a) || code == 0x2028 ||
                     code == 0x2029 || code == 0x202f || code == 0x205f || code == 0x3000;
  if (space) return kSpace;
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(code))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO: return kLetter;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME: return kMark;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO: return kNumber;
    case UTF8PROC_CATEGORY_PC:
    case UTF8PROC_CATEGORY_PD:
    case UTF8PROC_CATEGORY_PS:
    case UTF8PROC_CATEGORY_PE:
    case UTF8PROC_CATEGORY_PI:
    case UTF8PROC_CATEGORY_PF:
    case UTF8PROC_CATEGORY_PO: return kPunctuation;
    case UTF8PROC_CATEGORY_SM:
    case UTF8PROC_CATEGORY_SC:
    case UTF8PROC_CATEGORY_SK:
    case UTF8PROC_CATEGORY_SO: return kSymbol;
    default: return kOther;
  }
}

}  // namespace hyalite
