// Rewrites text before it is cut into words: Unicode forms, case, accents, replacements.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/tokenizer_spec.h"
#include "text/text_budget.h"

namespace hyalite {

class NormalizerStep {
 public:
  virtual ~NormalizerStep() = default;
  // A step whose result may be many times longer than `text` asks the budget before it makes it; the caller takes the result from it.
  virtual std::string apply(std::string text, TextBudget& budget) const = 0;
};

// Immutable; apply may run in many threads at once.
class Normalizer {
 public:
  // Throws Error{unsupported} naming a rule that is not known, Error{invalid_model} for a bad pattern or charsmap.
  explicit Normalizer(const std::vector<TextRule>& rules);

  bool empty() const { return steps_.empty(); }

  // Valid UTF-8 to valid UTF-8. Throws Error{invalid_model} naming the rule that takes more of the text than the budget has.
  std::string apply(std::string_view text, TextBudget& budget) const;

 private:
  std::vector<std::unique_ptr<NormalizerStep>> steps_;
};

// Also a decoder step: `pattern` is a regular expression, \Q..\E marks a literal one.
std::unique_ptr<NormalizerStep> make_replace_step(const TextRule& rule);

}  // namespace hyalite
