// Tokens of the text form (grammar: ir/printer.h), with their places. Linear, no allocation; the text must outlive the lexer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hyalite {

struct Token {
  enum class Kind : uint8_t { end, word, number, value, symbol, string, punctuation };
  Kind kind = Kind::end;
  std::string_view text;     // without % or @; a string as written, quotes included; "->" or one character of punctuation
  int line = 1, column = 1;  // 1-based; columns count bytes
  bool starts_line = false;
};

class Lexer {
 public:
  // Throws Error{invalid_model} where `text` is not UTF-8 or is longer than 64 MiB. `file` names it in errors.
  Lexer(std::string_view text, std::string_view file);

  Token next();
  // Throws Error{invalid_model, "file:line:column", message}.
  [[noreturn]] void fail(const Token& at, const std::string& message) const;
  // The bytes that a string token, or a name that may be one, stands for.
  std::string decoded(const Token& token) const;

 private:
  void skip_blanks();
  void check_utf8();
  size_t string_length() const;
  template <class Predicate>
  size_t length_while(size_t from, Predicate predicate) const;
  Token take(Token::Kind kind, size_t length, size_t prefix = 0);
  Token take_name(Token::Kind kind);
  std::string decoded_string(const Token& token) const;

  std::string_view text_, file_;
  size_t at_ = 0, line_begin_ = 0;
  int line_ = 1;
  bool starts_line_ = true;
};

}  // namespace hyalite
