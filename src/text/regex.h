// Regular expressions of tokenizers, on PCRE2 with JIT. Patterns are written for other engines (Oniguruma, Rust); what those spell
// differently is translated: \s and \S are White_Space, \w is Unicode's word class, \h is a hexadecimal digit, classes may hold
// intersections with a negated property ([\p{L}&&[^\p{Han}]]).
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/function_ref.h"
#include "text/text_budget.h"

namespace hyalite {

// Immutable; find_all may run in many threads at once.
class Regex {
 public:
  // Throws Error{invalid_model} where the pattern does not compile.
  explicit Regex(std::string pattern);
  ~Regex();
  Regex(Regex&&) noexcept;
  Regex& operator=(Regex&&) noexcept;

  // Calls `match` with begin and end of each match in valid UTF-8 `text`, in order, empty matches included. Throws Error{invalid_model}
  // where the pattern exceeds its step or memory limit at one place, or the budget's steps at all of them.
  void find_all(std::string_view text, TextBudget& budget, FunctionRef<void(size_t begin, size_t end)> match) const;

  const std::string& pattern() const { return pattern_; }

 private:
  struct Code;
  class Search;
  std::string pattern_;
  std::unique_ptr<Code> code_;
};

// The pattern as PCRE2 takes it. For tests.
std::string to_pcre2(std::string_view pattern);

}  // namespace hyalite
