// A rendered prompt: text with its origin. The chat template writes it, the tokenizer reads it.
#pragma once

#include <string>
#include <vector>

namespace hyalite {

// Control tokens ("<|im_end|>") are recognised only inside trusted spans: text that came from a user stays text, whatever it spells.
// A control token never reaches across a span border. Otherwise a border has no meaning: ordinary text on both sides of it is
// tokenized as if it were one string.
struct PromptSpan {
  std::string text;      // UTF-8
  bool trusted = false;  // written by the template or the engine, not by a user or a model
  bool operator==(const PromptSpan&) const = default;
};

using Prompt = std::vector<PromptSpan>;

}  // namespace hyalite
