// A cursor over tokens with the checks that every parsing function needs.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "text/jinja/lexer.h"

namespace hyalite::jinja {

class TokenStream {
 public:
  explicit TokenStream(const Source& source) : source_(source), tokens_(tokenize(source)) {}

  const Token& current() const { return tokens_[at_]; }
  const Token& next() const { return tokens_[std::min(at_ + 1, tokens_.size() - 1)]; }
  // Moves on and returns the token that was current.
  const Token& take() {
    const Token& token = tokens_[at_];
    if (at_ + 1 < tokens_.size()) ++at_;
    return token;
  }

  bool at(TokenType type) const { return current().type == type; }
  bool at_symbol(std::string_view symbol) const { return at(TokenType::symbol) && current().text == symbol; }
  bool at_name(std::string_view name) const { return at(TokenType::name) && current().text == name; }

  bool skip_symbol(std::string_view symbol) { return at_symbol(symbol) && (take(), true); }
  bool skip_name(std::string_view name) { return at_name(name) && (take(), true); }

  void expect_symbol(std::string_view symbol) {
    if (!skip_symbol(symbol)) fail("expected '" + std::string(symbol) + "', got " + describe());
  }
  void expect_name(std::string_view name) {
    if (!skip_name(name)) fail("expected '" + std::string(name) + "', got " + describe());
  }
  const std::string& expect_any_name() {
    if (!at(TokenType::name)) fail("expected a name, got " + describe());
    return take().text;
  }
  void expect_block_end() {
    if (!at(TokenType::block_end)) fail("expected the end of the statement, got " + describe());
    take();
  }

  // The current token, for messages.
  std::string describe() const {
    switch (current().type) {
      case TokenType::end: return "the end of the template";
      case TokenType::block_end:
      case TokenType::output_end: return "the end of the tag";
      case TokenType::string: return "a string";
      default: return "'" + current().text + "'";
    }
  }

  [[noreturn]] void fail(const std::string& message) const { fail_at(current().offset, message); }
  [[noreturn]] void fail_at(uint32_t offset, const std::string& message) const { source_.fail(offset, message, ErrorCode::unsupported); }

 private:
  const Source& source_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
};

}  // namespace hyalite::jinja
