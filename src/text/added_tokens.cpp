#include "text/added_tokens.h"

#include "text/char_class.h"

namespace hyalite {
namespace {

bool is_word_character(char32_t c) {
  return c == '_' || (char_class(c) & (kLetter | kMark | kNumber));
}
bool is_space(char32_t c) {
  return char_class(c) & kSpace;
}

bool stands_alone(std::string_view text, size_t begin, size_t end) {
  const bool open = begin == 0 || !is_word_character(decode_last_character(text.substr(0, begin)).code);
  const bool closed = end == text.size() || !is_word_character(decode_character(text.substr(end)).code);
  return open && closed;
}

size_t strip_left(std::string_view text, size_t from, size_t begin) {
  while (begin > from) {
    const Character c = decode_last_character(text.substr(0, begin));
    if (!is_space(c.code)) break;
    begin -= c.bytes;
  }
  return begin;
}

size_t strip_right(std::string_view text, size_t end) {
  while (end < text.size()) {
    const Character c = decode_character(text.substr(end));
    if (!is_space(c.code)) break;
    end += c.bytes;
  }
  return end;
}

std::vector<PrefixMatcher::Key> keys_of(const std::vector<AddedToken>& tokens) {
  std::vector<PrefixMatcher::Key> keys;
  for (size_t i = 0; i < tokens.size(); ++i) keys.push_back({tokens[i].text, static_cast<int32_t>(i)});
  return keys;
}

}  // namespace

AddedTokens::AddedTokens(std::vector<AddedToken> tokens) : tokens_(std::move(tokens)), matcher_(keys_of(tokens_)) {}

AddedTokens::Match AddedTokens::match_at(std::string_view text, size_t at, FunctionRef<bool(size_t, size_t)> allow_special) const {
  Match match;
  matcher_.for_each_prefix(text.substr(at), [&](size_t bytes, int32_t index) {
    const AddedToken& token = tokens_[static_cast<size_t>(index)];
    if (!token.special || allow_special(at, at + bytes)) match = {&token, at, at + bytes};
  });
  return match;
}

void AddedTokens::split(std::string_view text, FunctionRef<bool(size_t, size_t)> allow_special, FunctionRef<void(size_t, size_t)> text_part,
                        FunctionRef<void(int32_t)> token) const {
  size_t done = 0;
  for (size_t at = 0; at < text.size();) {
    if (!matcher_.may_start(text[at])) {
      ++at;
      continue;
    }
    Match match = match_at(text, at, allow_special);
    if (match.token == nullptr) {
      ++at;
      continue;
    }
    at = match.end;
    // What is not alone stays text as a whole: a shorter token inside it is not looked for.
    if (match.token->single_word && !stands_alone(text, match.begin, match.end)) continue;
    if (match.token->lstrip) match.begin = strip_left(text, done, match.begin);
    if (match.token->rstrip) at = match.end = strip_right(text, match.end);
    if (match.begin > done) text_part(done, match.begin);
    token(match.token->id);
    done = match.end;
  }
  if (done < text.size()) text_part(done, text.size());
}

}  // namespace hyalite
