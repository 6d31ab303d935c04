#include "text/word_scanner.h"

#include "text/char_class.h"

namespace hyalite {
namespace {

using enum WordPattern::Contraction;

struct Row {
  std::string_view regex;
  WordPattern pattern;
};

constexpr WordPattern kGpt2{.contraction = lower_case, .letters = kLetter};

constexpr WordPattern modern(WordPattern::Contraction contraction, uint8_t letters, uint32_t digits) {
  return {contraction, true, letters, digits, true, true};
}

constexpr Row kRows[] = {
    {kGpt2Pattern, kGpt2},
    // Published without the last alternative: what it leaves over is the same piece.
    {R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S))", kGpt2},
    {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
     modern(any_case, kLetter, 3)},
    {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
     modern(any_case, kLetter, 1)},
    {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
     modern(any_case, kLetter | kMark, 1)},
    {R"('(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+)",
     modern(any_case, kLetter, 1)},
    {R"([^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)", modern(none, kLetter, 1)},
};

struct Unit {
  uint32_t bytes = 0;  // 0 at the end of the text
  uint8_t bits = 0;
};

inline Unit unit_at(std::string_view text, size_t at) {
  if (at >= text.size()) return {};
  const auto byte = static_cast<uint8_t>(text[at]);
  if (byte < 128) return {1, kAscii.of[byte]};
  const Character c = decode_character(text.substr(at));
  return {c.bytes, wide_char_class(c.code)};
}

// The end of the run from `at` whose characters have (or, for `inside` false, lack) one of the bits.
inline size_t run_end(std::string_view text, size_t at, uint8_t bits, bool inside) {
  for (;;) {
    const Unit u = unit_at(text, at);
    if (u.bytes == 0 || ((u.bits & bits) != 0) != inside) return at;
    at += u.bytes;
  }
}

size_t contraction_bytes(WordPattern::Contraction kind, std::string_view text) {
  if (kind == none || text.size() < 2 || text[0] != '\'') return 0;
  const auto letter = [&](size_t i) {
    const char c = i < text.size() ? text[i] : '\0';
    return kind == any_case && c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  };
  const char a = letter(1), b = letter(2);
  if (a == 's' || a == 't' || a == 'm' || a == 'd') return 2;
  if ((a == 'r' && b == 'e') || (a == 'v' && b == 'e') || (a == 'l' && b == 'l')) return 3;
  if (kind == any_case && text.substr(1, 2) == "\u017f") return 3;  // the long s is an s in any case
  return 0;
}

// \s*[\r\n]+ | \s+(?!\S) | \s+
size_t space_bytes(const WordPattern& pattern, std::string_view text) {
  size_t at = 0, last = 0, newline_end = 0;
  for (Unit u = unit_at(text, 0); u.bits & kSpace; u = unit_at(text, at)) {
    last = at;
    at += u.bytes;
    if (u.bits & kNewline) newline_end = at;
  }
  if (pattern.newline_spaces && newline_end > 0) return newline_end;
  return at == text.size() || last == 0 ? at : last;
}

}  // namespace

const WordPattern* find_word_pattern(std::string_view regex) {
  for (const Row& row : kRows)
    if (row.regex == regex) return &row.pattern;
  return nullptr;
}

size_t first_word(const WordPattern& pattern, std::string_view text) {
  if (const size_t bytes = contraction_bytes(pattern.contraction, text)) return bytes;
  const Unit first = unit_at(text, 0);
  if (first.bits & pattern.letters) return run_end(text, first.bytes, pattern.letters, true);
  const bool space = text[0] == ' ';
  const Unit second = unit_at(text, first.bytes);
  const bool prefix = pattern.any_prefix ? !(first.bits & (kNewline | kLetter | kNumber)) : space;
  if (prefix && (second.bits & pattern.letters)) return run_end(text, first.bytes + second.bytes, pattern.letters, true);

  if (pattern.digits == 0) {
    const size_t skip = space && (second.bits & kNumber) ? 1 : 0;
    if (skip > 0 || (first.bits & kNumber)) return run_end(text, skip, kNumber, true);
  } else if (first.bits & kNumber) {
    size_t at = first.bytes;
    for (uint32_t n = 1; n < pattern.digits; ++n) {
      const Unit u = unit_at(text, at);
      if (!(u.bits & kNumber)) break;
      at += u.bytes;
    }
    return at;
  }

  const auto excluded = static_cast<uint8_t>(kSpace | kNumber | pattern.letters);
  const size_t skip = space && second.bytes > 0 && !(second.bits & excluded) ? 1 : 0;
  if (skip > 0 || !(first.bits & excluded)) {
    const size_t end = run_end(text, skip, excluded, false);
    return pattern.newline_tail ? run_end(text, end, kNewline, true) : end;
  }
  return space_bytes(pattern, text);
}

}  // namespace hyalite
