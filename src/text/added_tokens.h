// Tokens that are found in text before (or right after) it is normalized, ahead of every other rule.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/function_ref.h"
#include "base/tokenizer_spec.h"
#include "text/prefix_matcher.h"

namespace hyalite {

// Immutable. Matches leftmost, then longest.
class AddedTokens {
 public:
  explicit AddedTokens(std::vector<AddedToken> tokens);

  bool empty() const { return matcher_.empty(); }

  // Calls `text_part` and `token` for what lies between tokens and for the tokens, in order; text parts are never empty. A special token is
  // taken only where allow_special(begin, end) holds for its place in `text`.
  void split(std::string_view text, FunctionRef<bool(size_t begin, size_t end)> allow_special,
             FunctionRef<void(size_t begin, size_t end)> text_part, FunctionRef<void(int32_t id)> token) const;

 private:
  struct Match {
    const AddedToken* token = nullptr;
    size_t begin = 0, end = 0;
  };
  Match match_at(std::string_view text, size_t at, FunctionRef<bool(size_t, size_t)> allow_special) const;

  std::vector<AddedToken> tokens_;
  PrefixMatcher matcher_;
};

}  // namespace hyalite
