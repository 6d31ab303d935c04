// Token by token to text that can be shown: valid UTF-8, never half a character.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "text/tokenizer.h"

namespace hyalite {

// One text in the making. Everything that push and finish returned, joined, equals Tokenizer::decode of the same ids.
class Detokenizer {
 public:
  // `opens_text`: the first token opens the text, so that decode's rule for a first word holds; false when tokens continue a prompt.
  // `tokenizer` must outlive it.
  explicit Detokenizer(const Tokenizer& tokenizer, bool skip_special = true, bool opens_text = false)
      : tokenizer_(tokenizer), skip_special_(skip_special), opens_text_(opens_text) {}

  // The text that became complete with this token; often empty within a character of several tokens.
  std::string push(int32_t id);

  // What is left at the end: U+FFFD for a character that was never completed.
  std::string finish();

 private:
  const Tokenizer& tokenizer_;
  bool skip_special_, opens_text_;
  std::string pending_;  // a proper prefix of one character
};

}  // namespace hyalite
