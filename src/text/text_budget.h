// What the rules of a model's file may take of a text: a pipeline of a few replacements can multiply it beyond all memory, and a pattern
// can search every place of it for longer than anyone waits.
#pragma once

#include <cstddef>
#include <string>

#include "base/error.h"

namespace hyalite {

// Of one text, or of several that a pipeline was made for: the bytes that its steps may still make, all together, and the steps that its
// patterns may still search.
class TextBudget {
 public:
  explicit TextBudget(size_t text_bytes) : bytes_(text_bytes * kTimes + (size_t{1} << 20)), steps_(text_bytes * kTimes + kSteps) {}

  // Before a step makes that many bytes. Throws Error{invalid_model} where they are not left.
  void check(size_t bytes) const {
    if (bytes > bytes_)
      throw Error(ErrorCode::invalid_model, "tokenizer",
                  "the rules make more than " + std::to_string(kTimes) + " times the text and 1 MiB");
  }
  void take(size_t bytes) {
    check(bytes);
    bytes_ -= bytes;
  }

  // Takes nothing, and is false, where that many steps are not left.
  [[nodiscard]] bool take_steps(size_t steps) {
    if (steps > steps_) return false;
    steps_ -= steps;
    return true;
  }

 private:
  static constexpr size_t kTimes = 64;
  static constexpr size_t kSteps = 10'000'000;  // some tenths of a second
  size_t bytes_, steps_;
};

}  // namespace hyalite
