// Cuts text into the words (pre-tokens) that a vocabulary's model looks at one by one.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/function_ref.h"
#include "base/tokenizer_spec.h"
#include "text/text_budget.h"

namespace hyalite {

// One step: cuts (and may rewrite) a piece of text and passes the parts on. `at_start` says that the piece opens the whole text.
class PreTokenizerStage {
 public:
  using Next = FunctionRef<void(std::string_view part, bool at_start)>;
  virtual ~PreTokenizerStage() = default;
  virtual void split(std::string_view text, bool at_start, TextBudget& budget, Next next) const = 0;
};

// Immutable; split may run in many threads at once.
class PreTokenizer {
 public:
  // Throws Error{unsupported} naming a rule that is not known, Error{invalid_model} for a bad pattern.
  explicit PreTokenizer(const std::vector<TextRule>& rules);

  // Calls `word` with the non-empty words of valid UTF-8, in order. Views into `text`, or into memory that lives until `word` returns.
  // Words are plain text; the GPT-2 byte alphabet appears only between stages. Throws Error{invalid_model} naming the rule that takes
  // more of the text than the budget has.
  void split(std::string_view text, bool at_start, TextBudget& budget, FunctionRef<void(std::string_view)> word) const;

 private:
  void run(size_t stage, std::string_view text, bool at_start, TextBudget& budget, FunctionRef<void(std::string_view)> word) const;

  std::vector<std::unique_ptr<PreTokenizerStage>> stages_;
  std::vector<size_t> rules_;  // by stage: the rule that it belongs to
};

}  // namespace hyalite
