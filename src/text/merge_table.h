// The merges of a ranked BPE vocabulary, by the pair of ids: open addressing over flat slots.
#pragma once

#include <cstdint>
#include <vector>

#include "base/tokenizer_spec.h"

namespace hyalite {

struct Merge {
  static constexpr uint32_t kNone = UINT32_MAX;
  uint32_t rank = kNone;  // the lowest goes first; kNone: the pair does not merge
  int32_t id = -1;        // of the joined piece
};

// Immutable.
class MergeTable {
 public:
  explicit MergeTable(const std::vector<TokenMerge>& merges);

  Merge find(int32_t left, int32_t right) const {
    const uint64_t pair = key(left, right);
    for (size_t slot = place(pair);; slot = (slot + 1) & mask_) {
      const Slot& s = slots_[slot];
      if (s.pair == pair) return s.merge;
      if (s.pair == kEmpty) return {};
    }
  }

 private:
  static constexpr uint64_t kEmpty = UINT64_MAX;  // the pair (-1, -1), which has no merge
  struct Slot {
    uint64_t pair = kEmpty;
    Merge merge;
  };

  static uint64_t key(int32_t left, int32_t right) { return uint64_t{static_cast<uint32_t>(left)} << 32 | static_cast<uint32_t>(right); }
  // Fibonacci hashing: the high bits of a product with 2^64 over the golden ratio.
  size_t place(uint64_t pair) const { return (pair ^ pair >> 29) * 0x9e3779b97f4a7c15u >> shift_; }

  std::vector<Slot> slots_;
  size_t mask_ = 0;
  int shift_ = 0;
};

}  // namespace hyalite
