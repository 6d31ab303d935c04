#include "ir/lexer.h"

#include "base/error.h"
#include "base/utf8.h"
#include "ir/text_form.h"

namespace hyalite {
namespace {

constexpr size_t kMaxText = size_t{64} << 20;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

}  // namespace

Lexer::Lexer(std::string_view text, std::string_view file) : text_(text), file_(file) {
  if (text.size() > kMaxText) fail({}, "the text is longer than 64 MiB");
  check_utf8();
}

void Lexer::check_utf8() {
  Token at;
  size_t line_begin = 0;
  for (size_t i = 0; i < text_.size();) {
    const size_t length = utf8_length(text_.substr(i, 4));
    if (length == 0) {
      at.column = static_cast<int>(i - line_begin) + 1;
      fail(at, "the text is not UTF-8");
    }
    i += length;
    if (text_[i - 1] == '\n') ++at.line, line_begin = i;
  }
}

void Lexer::fail(const Token& at, const std::string& message) const {
  throw Error(ErrorCode::invalid_model, std::string(file_) + ":" + std::to_string(at.line) + ":" + std::to_string(at.column), message);
}

void Lexer::skip_blanks() {
  for (; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (c == '\n') {
      ++line_, line_begin_ = at_ + 1, starts_line_ = true;
    } else if (c == '/' && text_.substr(at_, 2) == "//") {
      at_ = std::min(text_.find('\n', at_), text_.size()) - 1;
    } else if (c != ' ' && c != '\t' && c != '\r') {
      return;
    }
  }
}

template <class Predicate>
size_t Lexer::length_while(size_t from, Predicate predicate) const {
  size_t end = from;
  while (end < text_.size() && predicate(text_[end])) ++end;
  return end - from;
}

// With both quotes; up to the end of the line where the closing one is missing.
size_t Lexer::string_length() const {
  size_t end = at_ + 1;
  while (end < text_.size() && text_[end] != '"' && text_[end] != '\n') end += text_[end] == '\\' ? 2 : 1;
  return std::min(end + 1, text_.size()) - at_;
}

Token Lexer::take(Token::Kind kind, size_t length, size_t prefix) {
  Token token{kind, text_.substr(at_ + prefix, length), line_, static_cast<int>(at_ - line_begin_) + 1, starts_line_};
  at_ += prefix + length;
  starts_line_ = false;
  return token;
}

// After % or @: a word or a string.
Token Lexer::take_name(Token::Kind kind) {
  if (text_.substr(at_ + 1, 1) == "\"") {
    ++at_;
    const size_t length = string_length();
    --at_;
    return take(kind, length, 1);
  }
  return take(kind, length_while(at_ + 1, is_word_char), 1);
}

Token Lexer::next() {
  skip_blanks();
  if (at_ >= text_.size()) return take(Token::Kind::end, 0);
  const char c = text_[at_];
  if (c == '%') return take_name(Token::Kind::value);
  if (c == '@') return take_name(Token::Kind::symbol);
  if (c == '"') return take(Token::Kind::string, string_length());
  if (text_.substr(at_, 2) == "->") return take(Token::Kind::punctuation, 2);
  if (is_digit(c) || c == '-')
    return take(Token::Kind::number, length_while(at_, [](char d) { return is_word_char(d) || d == '-' || d == '+'; }));
  if (is_word_char(c)) return take(Token::Kind::word, length_while(at_, is_word_char));
  return take(Token::Kind::punctuation, std::max<size_t>(utf8_length(text_.substr(at_, 4)), 1));
}

std::string Lexer::decoded(const Token& token) const {
  if (token.text.empty()) fail(token, "a name is missing");
  return token.text[0] == '"' ? decoded_string(token) : std::string(token.text);
}

std::string Lexer::decoded_string(const Token& token) const {
  std::string_view rest = token.text.substr(1);
  std::string bytes;
  while (!rest.empty() && rest[0] != '"' && rest[0] != '\n') {
    if (rest[0] != '\\') {
      bytes += rest[0];
      rest.remove_prefix(1);
      continue;
    }
    const char c = rest.size() > 1 ? rest[1] : 0;
    size_t length = 2;
    if (c == 'x' && rest.size() >= 4 && hex_value(rest[2]) >= 0 && hex_value(rest[3]) >= 0) {
      bytes += static_cast<char>(hex_value(rest[2]) * 16 + hex_value(rest[3]));
      length = 4;
    } else if (c == 'n' || c == 't' || c == 'r') {
      bytes += c == 'n' ? '\n' : c == 't' ? '\t' : '\r';
    } else if (c == '"' || c == '\\') {
      bytes += c;
    } else {
      fail(token, "unknown escape in a string");
    }
    rest.remove_prefix(length);
  }
  if (rest != "\"") fail(token, "the string does not end in this line");
  if (valid_prefix(bytes) != bytes.size()) fail(token, "the string is not valid UTF-8");
  return bytes;
}

}  // namespace hyalite
