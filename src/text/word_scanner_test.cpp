#include "text/word_scanner.h"

#include <gtest/gtest.h>

#include <random>

#include "base/utf8.h"
#include "text/regex.h"

namespace hyalite {
namespace {

using Words = std::vector<std::string>;

Words by_scanner(const WordPattern& pattern, std::string_view text) {
  Words words;
  for (; !text.empty(); text.remove_prefix(words.back().size())) words.emplace_back(text.substr(0, first_word(pattern, text)));
  return words;
}

Words by_regex(const Regex& regex, std::string_view text) {
  Words words;
  size_t at = 0;
  TextBudget budget(text.size());
  regex.find_all(text, budget, [&](size_t begin, size_t end) {
    if (begin > at) words.emplace_back(text.substr(at, begin - at));
    words.emplace_back(text.substr(begin, end - begin));
    at = end;
  });
  if (at < text.size()) words.emplace_back(text.substr(at));
  return words;
}

std::string random_text(std::mt19937& random) {
  // A few of each class, so that every alternative meets every other.
  static constexpr char32_t kCharacters[] = {
      ' ',   ' ', '\n', '\r', '\t', 0xa0,  0x3000, 0x85,   0x180e, 'a',     's',    'S',   't',   'R',    'e',   'E',    'v',    'l',
      'L',   'd', 'm',  '\'', '\'', 0x17f, 0xe9,   0x4e00, 0x5d0,  0x1c5,   0x2b0,  0x300, 0x903, 0x20dd, '1',   '2',    0xb2,   0x2167,
      0x663, '.', ',',  '!',  '_',  '$',   '+',    0x2014, 0x20ac, 0x1f600, 0x200b, 0,     0x7f,  0xad,   0x378, 0xe000, 0x1d7d8};
  std::string text;
  for (size_t n = random() % 24; n > 0; --n) append_utf8(kCharacters[random() % std::size(kCharacters)], text);
  return text;
}

TEST(WordScanner, EqualsItsRegularExpressions) {
  const std::string patterns[] = {
      std::string(kGpt2Pattern),
      R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
      R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
      R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
      R"('(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+)",
      R"([^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"};
  for (const std::string& pattern : patterns) {
    const WordPattern* scanner = find_word_pattern(pattern);
    ASSERT_NE(scanner, nullptr) << pattern;
    const Regex regex(pattern);
    std::mt19937 random(1);
    for (int i = 0; i < 20000; ++i) {
      const std::string text = random_text(random);
      ASSERT_EQ(by_scanner(*scanner, text), by_regex(regex, text)) << pattern << " on text " << i;
    }
  }
}

TEST(WordScanner, KnowsNoOtherPattern) {
  EXPECT_EQ(find_word_pattern(R"(\w+)"), nullptr);
}

}  // namespace
}  // namespace hyalite
