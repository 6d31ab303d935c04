// The character classes that pre-tokenizer patterns use (Unicode 15, utf8proc).
#pragma once

#include <cstdint>

#include "base/utf8.h"

namespace hyalite {

// Bits of char_class().
enum CharClass : uint8_t {
  kOther = 0,
  kLetter = 1,       // \p{L}
  kMark = 2,         // \p{M}
  kNumber = 4,       // \p{N}
  kPunctuation = 8,  // \p{P}
  kSymbol = 16,      // \p{S}
  kSpace = 32,       // White_Space
  kNewline = 64,     // CR and LF, together with kSpace
};

uint8_t wide_char_class(char32_t code);

// Classes of ASCII, so that most text needs no call.
struct AsciiClasses {
  uint8_t of[128];
};
extern const AsciiClasses kAscii;

inline uint8_t char_class(char32_t code) {
  return code < 128 ? kAscii.of[code] : wide_char_class(code);
}

}  // namespace hyalite
