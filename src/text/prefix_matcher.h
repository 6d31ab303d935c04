// Finds the keys of a fixed set that a text begins with: sorted keys, narrowed byte by byte.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/string_table.h"

namespace hyalite {

// Immutable. Owns its keys.
class PrefixMatcher {
 public:
  struct Key {
    std::string_view text;
    int32_t value;
  };

  PrefixMatcher() : PrefixMatcher(std::vector<Key>()) {}
  // Keys are distinct and not empty; of equal ones the first counts.
  explicit PrefixMatcher(std::vector<Key> keys) {
    std::stable_sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) { return a.text < b.text; });
    for (const Key& key : keys) {
      if (key.text.empty() || (!keys_.empty() && keys_.back() == key.text)) continue;
      keys_.push_back(key.text);
      values_.push_back(key.value);
    }
    for (size_t byte = 0, i = 0; byte <= 256; ++byte) {
      while (i < keys_.size() && static_cast<uint8_t>(keys_[i][0]) < byte) ++i;
      starts_[byte] = static_cast<uint32_t>(i);
    }
  }

  bool empty() const { return values_.empty(); }
  bool may_start(char c) const { return starts_[static_cast<uint8_t>(c)] != starts_[static_cast<uint8_t>(c) + 1u]; }

  // Calls found(bytes, value) for each key that non-empty `text` begins with, the shortest first.
  template <class Found>
  void for_each_prefix(std::string_view text, Found found) const {
    uint32_t low = starts_[static_cast<uint8_t>(text[0])], high = starts_[static_cast<uint8_t>(text[0]) + 1u];
    for (size_t depth = 1; low < high; ++depth) {
      if (keys_[low].size() == depth) found(depth, values_[low++]);
      if (depth == text.size()) return;
      const auto byte = static_cast<uint8_t>(text[depth]);
      low = first_not_below(low, high, depth, byte);
      high = first_not_below(low, high, depth, byte + 1u);
    }
  }

 private:
  // The first key in [low, high), which share `depth` bytes and are longer, whose next byte is at least `byte`.
  uint32_t first_not_below(uint32_t low, uint32_t high, size_t depth, uint32_t byte) const {
    while (low < high) {
      const uint32_t middle = low + (high - low) / 2;
      if (static_cast<uint8_t>(keys_[middle][depth]) < byte)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

  StringTable keys_;
  std::vector<int32_t> values_;
  std::array<uint32_t, 257> starts_{};
};

}  // namespace hyalite
