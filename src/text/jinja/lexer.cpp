#include "text/jinja/lexer.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "text/jinja/string_literal.h"
#include "text/jinja/unicode.h"

namespace hyalite::jinja {

namespace {

bool is_digit_byte(char c) {
  return c >= '0' && c <= '9';
}

constexpr size_t kMaxName = 1000;  // bytes; looking a name up counts as one step whatever its length

bool is_name_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit_byte(c) || static_cast<unsigned char>(c) >= 0x80;
}

class Lexer {
 public:
  explicit Lexer(const Source& source) : source_(source), text_(source.text()) {}

  std::vector<Token> run() {
    while (at_ < text_.size()) {
      size_t tag = find_tag(at_);
      if (tag == std::string_view::npos) {
        emit(TokenType::data, at_, std::string(text_.substr(at_)));
        break;
      }
      lex_tag(tag);
    }
    at_ = text_.size();
    emit(TokenType::end, at_, "");
    return std::move(tokens_);
  }

 private:
  [[noreturn]] void fail(size_t offset, const std::string& message) const {
    source_.fail(static_cast<uint32_t>(offset), message, ErrorCode::unsupported);
  }

  void emit(TokenType type, size_t offset, std::string text) { tokens_.push_back({type, static_cast<uint32_t>(offset), std::move(text)}); }

  bool starts(size_t offset, std::string_view what) const { return text_.substr(std::min(offset, text_.size())).starts_with(what); }

  size_t find_tag(size_t from) const {
    for (size_t at = text_.find('{', from); at != std::string_view::npos; at = text_.find('{', at + 1)) {
      if (starts(at, "{{") || starts(at, "{%") || starts(at, "{#")) return at;
    }
    return std::string_view::npos;
  }

  size_t skip_space(size_t at) const {
    while (at < text_.size()) {
      CodePoint c = code_point_at(text_, at);
      if (!is_space(c.value)) break;
      at += c.size;
    }
    return at;
  }

  // Where `[begin, end)` ends without the white space at its end.
  size_t without_trailing_space(size_t begin, size_t end) const {
    size_t kept = begin;
    for (size_t at = begin; at < end;) {
      CodePoint c = code_point_at(text_, at);
      at += c.size;
      if (!is_space(c.value)) kept = at;
    }
    return kept;
  }

  char sign_at(size_t offset) const { return starts(offset, "-") ? '-' : starts(offset, "+") ? '+' : '\0'; }

  // Emits the text in front of the tag at `tag`, less what the tag's sign or lstrip_blocks takes away.
  void emit_data(size_t begin, size_t tag, char sign, bool lstrip) {
    size_t end = tag;
    if (sign == '-') {
      end = without_trailing_space(begin, tag);
    } else if (sign != '+' && lstrip) {
      size_t newline = text_.substr(begin, tag - begin).rfind('\n');
      bool inside = newline != std::string_view::npos;
      size_t line = inside ? begin + newline + 1 : begin;
      if ((inside || line_starting_) && without_trailing_space(line, tag) == line) end = line;
    }
    if (end > begin) emit(TokenType::data, begin, std::string(text_.substr(begin, end - begin)));
  }

  // The offset behind a closing delimiter at `at` with what it swallows, or npos. `trim`: "%}" takes one newline with it.
  size_t match_close(size_t at, std::string_view close, bool trim) const {
    if (starts(at, "-") && starts(at + 1, close)) return skip_space(at + 1 + close.size());
    if (trim && starts(at, "+") && starts(at + 1, close)) return at + 1 + close.size();
    if (!starts(at, close)) return std::string_view::npos;
    size_t end = at + close.size();
    return trim && starts(end, "\n") ? end + 1 : end;
  }

  void finish_tag(size_t end) {
    at_ = end;
    line_starting_ = text_[end - 1] == '\n';
  }

  void lex_tag(size_t tag) {
    char kind = text_[tag + 1];
    char sign = sign_at(tag + 2);
    size_t inside = tag + 2 + (sign ? 1 : 0);
    if (kind == '%' && lex_raw(tag, sign, inside)) return;
    emit_data(at_, tag, sign, kind != '{');
    if (kind == '#') return lex_comment(tag, inside);
    emit(kind == '{' ? TokenType::output_begin : TokenType::block_begin, tag, "");
    lex_code(tag, inside, kind == '{' ? "}}" : "%}", kind == '{' ? TokenType::output_end : TokenType::block_end);
  }

  void lex_comment(size_t tag, size_t inside) {
    for (size_t at = inside; at < text_.size(); ++at) {
      size_t end = match_close(at, "#}", true);
      if (end != std::string_view::npos) return finish_tag(end);
    }
    fail(tag, "the comment is not closed");
  }

  // {% raw %} ... {% endraw %}; false where the tag is another one.
  bool lex_raw(size_t tag, char sign, size_t inside) {
    size_t at = skip_space(inside);
    if (!starts(at, "raw")) return false;
    at = skip_space(at + 3);
    size_t body = match_close(at, "%}", false);
    if (body == std::string_view::npos) return false;
    emit_data(at_, tag, sign, true);
    line_starting_ = text_[body - 1] == '\n';
    for (size_t close = text_.find("{%", body); close != std::string_view::npos; close = text_.find("{%", close + 1)) {
      char close_sign = sign_at(close + 2);
      size_t word = skip_space(close + 2 + (close_sign ? 1 : 0));
      if (!starts(word, "endraw")) continue;
      size_t end = match_close(skip_space(word + 6), "%}", true);
      if (end == std::string_view::npos) continue;
      emit_data(body, close, close_sign, true);
      finish_tag(end);
      return true;
    }
    fail(tag, "the raw block is not closed");
  }

  void lex_code(size_t tag, size_t at, std::string_view close, TokenType close_type) {
    std::vector<char> brackets;
    for (;;) {
      at = skip_space(at);
      if (at >= text_.size()) fail(tag, "the tag is not closed");
      if (brackets.empty()) {
        size_t end = match_close(at, close, close == "%}");
        if (end != std::string_view::npos) {
          emit(close_type, at, "");
          return finish_tag(end);
        }
      }
      at = lex_one(at, brackets);
    }
  }

  size_t lex_one(size_t at, std::vector<char>& brackets) {
    char c = text_[at];
    if (c == '\'' || c == '"') return lex_string(at);
    if (is_digit_byte(c)) return lex_number(at);
    if (is_name_byte(c)) {
      size_t end = at;
      while (end < text_.size() && is_name_byte(text_[end])) ++end;
      if (end - at > kMaxName) fail(at, "a name is longer than " + std::to_string(kMaxName) + " bytes");
      emit(TokenType::name, at, std::string(text_.substr(at, end - at)));
      return end;
    }
    return lex_symbol(at, brackets);
  }

  size_t lex_symbol(size_t at, std::vector<char>& brackets) {
    static constexpr std::array<std::string_view, 6> pairs = {"**", "//", "==", "!=", ">=", "<="};
    std::string_view symbol = text_.substr(at, 1);
    for (std::string_view pair : pairs) {
      if (starts(at, pair)) symbol = pair;
    }
    static constexpr std::string_view single = "+-/*%~[](){}><=.:|,;";
    char c = symbol[0];
    if (symbol.size() == 1 && single.find(c) == std::string_view::npos) fail(at, "unexpected character '" + std::string(1, c) + "'");
    if (c == '(' || c == '[' || c == '{') brackets.push_back(c == '(' ? ')' : c == '[' ? ']' : '}');
    if (c == ')' || c == ']' || c == '}') {
      if (brackets.empty() || brackets.back() != c) fail(at, "unexpected '" + std::string(1, c) + "'");
      brackets.pop_back();
    }
    emit(TokenType::symbol, at, std::string(symbol));
    return at + symbol.size();
  }

  size_t lex_string(size_t at) {
    size_t end = at + 1;
    while (end < text_.size() && text_[end] != text_[at]) end += text_[end] == '\\' ? 2 : 1;
    if (end >= text_.size()) fail(at, "the string is not closed");
    std::string value;
    if (!unescape_string(text_.substr(at + 1, end - at - 1), value)) fail(at, "the string has a malformed escape");
    emit(TokenType::string, at, std::move(value));
    return end + 1;
  }

  // Digits with single underscores between them, from `at`; returns where they end.
  size_t digits_end(size_t at, bool (*is_member)(char)) const {
    while (at < text_.size() && (is_member(text_[at]) || (text_[at] == '_' && at + 1 < text_.size() && is_member(text_[at + 1])))) ++at;
    return at;
  }

  size_t lex_number(size_t at) {
    size_t end = digits_end(at, is_digit_byte);
    TokenType type = TokenType::integer;
    bool prefixed = text_[at] == '0' && at + 2 < text_.size() && std::string_view("bBoOxX").find(text_[at + 1]) != std::string_view::npos;
    if (prefixed) {
      end = digits_end(at + 2, [](char c) { return is_digit_byte(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); });
    } else if (at == 0 || text_[at - 1] != '.') {
      size_t real = real_end(end);
      if (real != end) type = TokenType::real;
      end = real;
    }
    std::string digits(text_.substr(at, end - at));
    digits.erase(std::remove(digits.begin(), digits.end(), '_'), digits.end());
    emit(type, at, std::move(digits));
    return end;
  }

  // Behind a fraction and an exponent that begin at `at`, or `at` where there is neither.
  size_t real_end(size_t at) const {
    size_t end = at;
    if (starts(at, ".") && at + 1 < text_.size() && is_digit_byte(text_[at + 1])) end = digits_end(at + 1, is_digit_byte);
    if (starts(end, "e") || starts(end, "E")) {
      size_t exponent = end + 1 + (sign_at(end + 1) ? 1 : 0);
      if (exponent < text_.size() && is_digit_byte(text_[exponent])) end = digits_end(exponent, is_digit_byte);
    }
    return end;
  }

  const Source& source_;
  std::string_view text_;
  size_t at_ = 0;
  bool line_starting_ = true;  // nothing of the current line was consumed before at_
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokenize(const Source& source) {
  return Lexer(source).run();
}

}  // namespace hyalite::jinja
