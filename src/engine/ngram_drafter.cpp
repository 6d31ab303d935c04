#include "engine/ngram_drafter.h"

#include <algorithm>
#include <bit>

namespace hyalite {

NgramDrafter::NgramDrafter(int64_t max_tokens) {
  for (Table& table : tables_) table.resize(std::bit_ceil(static_cast<size_t>(max_tokens + 1)) * 2);
}

void NgramDrafter::begin(std::span<const int32_t> prompt) {
  for (Table& table : tables_) std::ranges::fill(table, 0);
  known_ = 0;
  note(prompt.data(), static_cast<int64_t>(prompt.size()));
}

int32_t& NgramDrafter::slot(Table& table, const int32_t* ids, int64_t length, int64_t end) {
  uint64_t hash = 0;
  for (int64_t i = end - length; i < end; ++i) hash = (hash ^ static_cast<uint32_t>(ids[i])) * 0x9e3779b97f4a7c15;
  const size_t mask = table.size() - 1;
  size_t at = (hash >> 32) & mask;
  while (table[at] != 0 && !std::equal(ids + table[at] - length, ids + table[at], ids + end - length)) at = (at + 1) & mask;
  return table[at];
}

// The n-gram at the very end has nothing after it yet.
void NgramDrafter::note(const int32_t* ids, int64_t size) {
  while (known_ + 1 < size) {
    ++known_;
    for (size_t i = 0; i < kLengths.size(); ++i)
      if (known_ >= kLengths[i]) slot(tables_[i], ids, kLengths[i], known_) = static_cast<int32_t>(known_);
  }
}

void NgramDrafter::draft(const DraftContext& context, std::vector<int32_t>& drafts) {
  const int32_t* ids = context.sequence.data();
  const auto size = static_cast<int64_t>(context.sequence.size());
  note(ids, size);
  for (size_t i = 0; i < kLengths.size(); ++i) {
    if (size < kLengths[i]) continue;
    const int64_t after = slot(tables_[i], ids, kLengths[i], size);
    if (after == 0) continue;
    // What repeats with a period shorter than the draft goes on repeating.
    for (int64_t n = 0; n < context.most; ++n) drafts.push_back(ids[after + n % (size - after)]);
    return;
  }
}

}  // namespace hyalite
