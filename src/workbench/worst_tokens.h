// The scored tokens that a figure is worst for, with the text around them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "text/tokenizer.h"
#include "workbench/scored_windows.h"

namespace hyalite {

// Indices of the `count` largest values, largest first; of equals the earlier first.
std::vector<int64_t> largest(std::span<const double> values, int64_t count);

struct TokenInText {
  int64_t scored = 0, position = 0;  // index among the scored tokens, and among those of the text
  int32_t id = 0;
  std::string before, text;  // the bytes of some tokens before it, and its own
};

// REQUIRES: 0 <= scored < cut.scored()
TokenInText token_in_text(const Tokenizer& tokenizer, std::span<const int32_t> ids, const WindowCut& cut, int64_t scored);

}  // namespace hyalite
