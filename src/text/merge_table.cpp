#include "text/merge_table.h"

#include <bit>

namespace hyalite {

MergeTable::MergeTable(const std::vector<TokenMerge>& merges) {
  const size_t slots = std::bit_ceil(merges.size() * 8 / 5 + 16);
  slots_.resize(slots);
  mask_ = slots - 1;
  shift_ = 64 - std::countr_zero(slots);
  uint32_t rank = 0;
  for (const TokenMerge& merge : merges) {
    const uint64_t pair = key(merge.left, merge.right);
    size_t slot = place(pair);
    while (slots_[slot].pair != kEmpty && slots_[slot].pair != pair) slot = (slot + 1) & mask_;
    if (slots_[slot].pair == kEmpty) slots_[slot] = {pair, {rank, merge.result}};
    ++rank;
  }
}

}  // namespace hyalite
