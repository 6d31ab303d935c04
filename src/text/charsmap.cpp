#include "text/charsmap.h"

#include <cstring>

#include "base/base64.h"
#include "base/error.h"
#include "base/utf8.h"

namespace hyalite {
namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCode::invalid_model, "tokenizer: charsmap", message);
}

// Fields of a unit of the double array (darts-clone).
uint32_t label_of(uint32_t unit) {
  return unit & 0x800000ffu;
}
uint32_t offset_of(uint32_t unit) {
  return (unit >> 10) << ((unit & 0x200u) >> 6);
}
bool has_leaf(uint32_t unit) {
  return unit & 0x100u;
}
uint32_t value_of(uint32_t unit) {
  return unit & 0x7fffffffu;
}

}  // namespace

Charsmap::Charsmap(std::string_view base64) {
  const std::string blob = from_base64(base64, "tokenizer: charsmap");
  if (blob.empty()) return;
  uint32_t trie_bytes = 0;
  if (blob.size() < sizeof trie_bytes) refuse("is cut short");
  std::memcpy(&trie_bytes, blob.data(), sizeof trie_bytes);
  if (trie_bytes % 4 != 0 || trie_bytes > blob.size() - sizeof trie_bytes) refuse("has a trie longer than itself");
  units_.resize(trie_bytes / 4);
  std::memcpy(units_.data(), blob.data() + sizeof trie_bytes, trie_bytes);
  replacements_ = blob.substr(sizeof trie_bytes + trie_bytes);
  replacements_.push_back('\0');
  if (valid_prefix(replacements_) != replacements_.size()) refuse("has replacements that are not UTF-8");
}

Charsmap::Match Charsmap::longest_match(std::string_view text) const {
  Match best;
  if (units_.empty()) return best;
  uint32_t at = offset_of(units_[0]);
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<uint8_t>(text[i]);
    at ^= byte;
    if (byte == 0 || at >= units_.size() || label_of(units_[at]) != byte) return best;
    const uint32_t unit = units_[at];
    at ^= offset_of(unit);
    if (!has_leaf(unit) || at >= units_.size()) continue;
    const uint32_t offset = value_of(units_[at]);
    const bool whole = i + 1 == text.size() || (static_cast<uint8_t>(text[i + 1]) & 0xc0) != 0x80;
    // An offset into the middle of a character would break UTF-8.
    if (whole && offset < replacements_.size() && (static_cast<uint8_t>(replacements_[offset]) & 0xc0) != 0x80) best = {i + 1, offset};
  }
  return best;
}

std::string Charsmap::apply(std::string_view text, const TextBudget& budget) const {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Match match = longest_match(text);
    if (match.bytes > 0) {
      out += replacements_.c_str() + match.offset;
      budget.check(out.size());
      text.remove_prefix(match.bytes);
    } else {
      const uint32_t bytes = decode_character(text).bytes;
      out += text.substr(0, bytes);
      text.remove_prefix(bytes);
    }
  }
  return out;
}

}  // namespace hyalite
