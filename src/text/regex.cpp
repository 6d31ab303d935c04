#define PCRE2_CODE_UNIT_WIDTH 8
#include "text/regex.h"

#include <pcre2.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/utf8.h"

namespace hyalite {
namespace {

// Most steps of one match from one place, by level.
constexpr std::array<uint32_t, 6> kStepLimits = {100, 1'000, 10'000, 100'000, 1'000'000, 10'000'000};
constexpr uint32_t kDepthLimit = 100'000;
constexpr uint32_t kHeapKib = 64 * 1024;
constexpr std::string_view kSpaces = R"(\t-\r\x{85}\p{Z})";
constexpr std::string_view kWords = R"(\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control})";

// What an escape stands for inside a class; empty where PCRE2 reads it as the other engines do.
std::string_view class_of_escape(char c) {
  switch (c) {
    case 's': return kSpaces;
    case 'w': return kWords;
    case 'h': return "0-9a-fA-F";
    default: return {};
  }
}

// Scripts by name: PCRE2 would take characters that the script merely uses as well (script extensions).
constexpr std::string_view kScripts[] = {"Arabic",   "Bopomofo", "Cyrillic", "Greek", "Han",   "Hangul",  "Hebrew",
                                         "Hiragana", "Katakana", "Khmer",    "Lao",   "Latin", "Myanmar", "Thai"};

bool is_script(std::string_view name) {
  return std::find(std::begin(kScripts), std::end(kScripts), name) != std::end(kScripts);
}

// Appends the escape at pattern[at] ('\\' and at least one more) and gives the index of its last byte.
size_t append_escape(std::string_view pattern, size_t at, bool in_class, std::string& out) {
  const char c = pattern[at + 1];
  const size_t brace = (c == 'p' || c == 'P') && pattern.substr(at + 2, 1) == "{" ? pattern.find('}', at) : std::string_view::npos;
  if (brace != std::string_view::npos && is_script(pattern.substr(at + 3, brace - at - 3))) {
    out += pattern.substr(at, 3);
    out += "sc:";
    out += pattern.substr(at + 3, brace - at - 2);
    return brace;
  }
  const auto lower = static_cast<char>(c | 32);
  const std::string_view members = class_of_escape(lower);
  if (members.empty() || (in_class && c != lower)) {
    out += '\\';
    out += c;
  } else if (in_class) {
    out += members;
  } else {
    out += c == lower ? "[" : "[^";
    out += members;
    out += ']';
  }
  return at + 1;
}

// Bytes of the quotation \Q..\E that begins here, 0 where none does.
size_t quoted_bytes(std::string_view pattern, size_t at) {
  if (pattern.substr(at, 2) != "\\Q") return 0;
  const size_t end = pattern.find("\\E", at);
  return end == std::string_view::npos ? pattern.size() - at : end + 2 - at;
}

// Reads the class that opens at pattern[at] and appends it. A&&[^B] becomes (?:(?!B)A), which PCRE2 has.
size_t append_class(std::string_view pattern, size_t at, std::string& out) {
  std::string members = "[", excluded;
  std::string* into = &members;
  size_t i = at + 1;
  if (i < pattern.size() && pattern[i] == '^') members += pattern[i++];
  if (i < pattern.size() && pattern[i] == ']') members += pattern[i++];
  for (; i < pattern.size() && pattern[i] != ']'; ++i) {
    if (pattern[i] == '\\' && i + 1 < pattern.size()) {
      i = append_escape(pattern, i, true, *into);
    } else if (pattern.substr(i, 2) == "[:" && pattern.find(":]", i) != std::string_view::npos) {
      const size_t end = pattern.find(":]", i) + 1;
      *into += pattern.substr(i, end + 1 - i);
      i = end;
    } else if (pattern.substr(i, 4) == "&&[^") {
      excluded = "[";
      into = &excluded;
      i += 3;
    } else {
      *into += pattern[i];
    }
  }
  if (!excluded.empty()) ++i;  // both brackets of [A&&[^B]]
  members += ']';
  out += excluded.empty() ? members : "(?:(?!" + excluded + "])" + members + ")";
  return i;
}

std::string message_of(int code) {
  PCRE2_UCHAR text[256] = {};
  pcre2_get_error_message(code, text, sizeof text);
  return reinterpret_cast<const char*>(text);
}

[[noreturn]] void refuse_match(const std::string& pattern, int code) {
  throw Error(ErrorCode::invalid_model, "tokenizer: pattern " + pattern, "cannot be matched within its limits: " + message_of(code));
}

}  // namespace

std::string to_pcre2(std::string_view pattern) {
  std::string out;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (const size_t quoted = quoted_bytes(pattern, i)) {
      out += pattern.substr(i, quoted);
      i += quoted - 1;
    } else if (pattern[i] == '[') {
      i = append_class(pattern, i, out);
    } else if (pattern[i] == '\\' && i + 1 < pattern.size()) {
      i = append_escape(pattern, i, false, out);
    } else {
      out += pattern[i];
    }
  }
  return out;
}

struct Regex::Code {
  pcre2_code* code = nullptr;
  std::array<pcre2_match_context*, kStepLimits.size()> limits{};  // by level
  ~Code() {
    for (pcre2_match_context* context : limits) pcre2_match_context_free(context);
    pcre2_code_free(code);
  }
};

Regex::Regex(std::string pattern) : pattern_(std::move(pattern)), code_(std::make_unique<Code>()) {
  if (valid_prefix(pattern_) != pattern_.size()) throw Error(ErrorCode::invalid_model, "pattern", "is not valid UTF-8");
  const std::string translated = to_pcre2(pattern_);
  int error = 0;
  PCRE2_SIZE offset = 0;
  code_->code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(translated.data()), translated.size(),
                              PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C, &error, &offset, nullptr);
  if (code_->code == nullptr)
    throw Error(ErrorCode::invalid_model, "pattern " + pattern_,
                "does not compile, at byte " + std::to_string(offset) + ": " + message_of(error));
  pcre2_jit_compile(code_->code, PCRE2_JIT_COMPLETE);  // where it fails, the interpreter runs the pattern
  for (size_t level = 0; level < kStepLimits.size(); ++level) {
    pcre2_match_context* context = code_->limits[level] = pcre2_match_context_create(nullptr);
    pcre2_set_match_limit(context, kStepLimits[level]);
    pcre2_set_depth_limit(context, kDepthLimit);
    pcre2_set_heap_limit(context, kHeapKib);
  }
}

Regex::~Regex() = default;
Regex::Regex(Regex&&) noexcept = default;
Regex& Regex::operator=(Regex&&) noexcept = default;

// The next match in a text, call by call. PCRE2 counts steps anew at each place that it tries, and tells nobody how many there were: a
// search of all places with a high limit might take that limit at every one of them. So a search has the lowest limit; where that is
// too low, the places are tried one by one, with rising limits, and each limit that was reached is taken from the budget. The places then
// take at most the lowest limit each, and all that is beyond it at most some ten times the budget.
class Regex::Search {
 public:
  Search(const Code& code, std::string_view text, TextBudget& budget)
      : code_(code), text_(text), budget_(budget), data_(pcre2_match_data_create(1, nullptr)) {}
  ~Search() { pcre2_match_data_free(data_); }
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;

  const PCRE2_SIZE* bounds() const { return pcre2_get_ovector_pointer(data_); }

  // As pcre2_match. `options` may have PCRE2_NOTEMPTY_ATSTART.
  int find(size_t at, uint32_t options) {
    const int found = call(at, options, 0);
    if (found != PCRE2_ERROR_MATCHLIMIT) return found;
    return budget_.take_steps(kStepLimits[0]) ? find_by_place(at, options) : found;
  }

 private:
  int find_by_place(size_t at, uint32_t options) {
    for (;;) {
      const int found = match_at(at, options | PCRE2_ANCHORED);
      if (found != PCRE2_ERROR_NOMATCH || at == text_.size()) return found;
      at += decode_character(text_.substr(at)).bytes;
      options &= ~PCRE2_NOTEMPTY_ATSTART;
    }
  }

  int match_at(size_t at, uint32_t options) {
    for (size_t level = 0;; ++level) {
      const int found = call(at, options, level);
      const bool last = level + 1 == kStepLimits.size();
      if (found != PCRE2_ERROR_MATCHLIMIT || last || !budget_.take_steps(kStepLimits[level])) return found;
    }
  }

  int call(size_t at, uint32_t options, size_t level) {
    const auto* subject = reinterpret_cast<PCRE2_SPTR>(text_.data());
    options |= PCRE2_NO_UTF_CHECK;
    const int found = pcre2_match(code_.code, subject, text_.size(), at, options, data_, code_.limits[level]);
    if (found != PCRE2_ERROR_JIT_STACKLIMIT) return found;
    return pcre2_match(code_.code, subject, text_.size(), at, options | PCRE2_NO_JIT, data_, code_.limits[level]);
  }

  const Code& code_;
  std::string_view text_;
  TextBudget& budget_;
  pcre2_match_data* data_;
};

void Regex::find_all(std::string_view text, TextBudget& budget, FunctionRef<void(size_t begin, size_t end)> match) const {
  Search search(*code_, text, budget);
  uint32_t options = 0;
  for (size_t at = 0; at <= text.size();) {
    const int found = search.find(at, options);
    if (found == PCRE2_ERROR_NOMATCH) return;
    if (found < 0) refuse_match(pattern_, found);
    const size_t begin = search.bounds()[0], end = search.bounds()[1];
    if (begin > end || end < at) refuse_match(pattern_, PCRE2_ERROR_BADOFFSET);  // \K in a lookaround
    match(begin, end);
    options = begin == end ? PCRE2_NOTEMPTY_ATSTART : 0;  // after an empty match: not another one at the same place
    at = end;
  }
}

}  // namespace hyalite
