// SentencePiece's compiled normalization rules ("precompiled_charsmap"): a double-array trie from character sequences to offsets into a
// block of NUL-terminated replacements. Layout: u32 bytes of the trie, the trie as u32 units, the replacements; all little-endian.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/text_budget.h"

namespace hyalite {

// Immutable.
class Charsmap {
 public:
  // Throws Error{invalid_model} where the text is not base64 or the blob breaks its layout. An empty text maps nothing.
  explicit Charsmap(std::string_view base64);

  // Replaces the longest known sequence at each place. Valid UTF-8 to valid UTF-8. Throws Error{invalid_model} beyond the budget.
  std::string apply(std::string_view text, const TextBudget& budget) const;

 private:
  struct Match {
    size_t bytes = 0;  // 0: none
    uint32_t offset = 0;
  };
  Match longest_match(std::string_view text) const;

  std::vector<uint32_t> units_;
  std::string replacements_;
};

}  // namespace hyalite
