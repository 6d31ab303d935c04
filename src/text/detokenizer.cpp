#include "text/detokenizer.h"

#include <utility>

#include "base/utf8.h"

namespace hyalite {
namespace {

// Bytes of the incomplete character at the end.
size_t open_bytes(std::string_view text) {
  for (size_t n = 1; n <= 3 && n <= text.size(); ++n) {
    const std::string_view tail = text.substr(text.size() - n);
    if ((static_cast<uint8_t>(tail[0]) & 0xc0) != 0x80) return may_become_character(tail) ? n : 0;
  }
  return 0;
}

}  // namespace

std::string Detokenizer::push(int32_t id) {
  if (skip_special_ && tokenizer_.is_control(id)) return {};
  std::string_view bytes = tokenizer_.piece(id);
  if (opens_text_ && !bytes.empty()) {
    bytes = tokenizer_.opening(bytes);
    opens_text_ = false;
  }
  std::string text = std::exchange(pending_, {});
  text += bytes;
  const size_t open = open_bytes(text);
  pending_ = text.substr(text.size() - open);
  text.erase(text.size() - open);
  return valid_text(std::move(text));
}

std::string Detokenizer::finish() {
  return valid_text(std::exchange(pending_, {}));
}

}  // namespace hyalite
