// Splitting at matches, as tokenizer.json's Split does: what counts as a match (a Finder), and what becomes of it (a behaviour).
#pragma once

#include <memory>
#include <string_view>

#include "text/pre_tokenizer.h"

namespace hyalite {

class Finder {
 public:
  virtual ~Finder() = default;
  // Calls `match` with begin and end of each match in valid UTF-8 `text`, in order.
  virtual void find(std::string_view text, TextBudget& budget, FunctionRef<void(size_t begin, size_t end)> match) const = 0;
};

// A hand-written scanner where the pattern has one, else a regular expression.
std::unique_ptr<Finder> make_pattern_finder(const std::string& pattern);
// Single characters for which `test` holds.
std::unique_ptr<Finder> make_character_finder(bool (*test)(char32_t));

enum class SplitBehavior { removed, isolated, merged_with_previous, merged_with_next, contiguous };

// Throws Error{unsupported} for an unknown name.
SplitBehavior parse_split_behavior(const std::string& name);

// `invert`: what lies between the matches counts as match.
std::unique_ptr<PreTokenizerStage> make_splitter(std::unique_ptr<Finder> finder, SplitBehavior behavior, bool invert = false);

}  // namespace hyalite
