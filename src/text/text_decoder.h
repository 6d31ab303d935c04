// From token ids back to bytes: what each token adds to a text, worked out once from the decoder rules.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/tokenizer_spec.h"

namespace hyalite {

// Immutable.
class TextDecoder {
 public:
  // Throws Error{unsupported} naming a rule that is not known or that cannot be applied token by token.
  explicit TextDecoder(const TokenizerSpec& spec);

  // The bytes that token `id` adds inside a text; where the spec says so, added tokens stand for themselves. REQUIRES: id inside the
  // vocabulary.
  std::string_view bytes(int32_t id) const { return bytes_[static_cast<size_t>(id)]; }

  // The same where these bytes open a text: the space that encoding puts before a first word is left out.
  std::string_view opening(std::string_view bytes) const;

 private:
  StringTable bytes_;
  std::string strip_;  // the character that opening() takes away
  int strip_at_most_ = 0;
};

}  // namespace hyalite
