// How much the rules of a model's file may make of a text: a pipeline of a few replacements can multiply it beyond all memory.
#pragma once

#include <cstddef>
#include <string>

#include "base/error.h"

namespace hyalite {

// Bytes that the steps of one pipeline may still make, all together, of the texts that it was made for.
class GrowthBudget {
 public:
  explicit GrowthBudget(size_t text_bytes) : left_(text_bytes * kTimes + (size_t{1} << 20)) {}

  // Before a step makes that many bytes. Throws Error{invalid_model} where they are not left.
  void check(size_t bytes) const {
    if (bytes > left_)
      throw Error(ErrorCode::invalid_model, "tokenizer",
                  "the rules make more than " + std::to_string(kTimes) + " times the text and 1 MiB");
  }
  void take(size_t bytes) {
    check(bytes);
    left_ -= bytes;
  }

 private:
  static constexpr size_t kTimes = 64;
  size_t left_;
};

}  // namespace hyalite
