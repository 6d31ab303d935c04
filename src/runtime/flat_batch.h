// One step's sequences side by side, as kernels take them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/executor.h"
#include "runtime/kv_pool.h"

namespace hyalite {

// A sequence's share of a step: `ids` continue what `cached` positions already hold. Positions from `cached` on are written anew, so a
// caller who does not want the last n of a step's tokens after all goes on with n fewer cached.
struct StepSequence {
  SequencePages* pages = nullptr;  // reserved by FlatBatch::fill() as far as needed
  int64_t cached = 0;
  std::span<const int32_t> ids;
  enum class Logits : uint8_t { none, last, all } logits = Logits::last;
  bool top_only = false;  // of its logits only the largest are wanted; any below that may come out as -inf
};

class FlatBatch {
 public:
  // Takes the room for steps of up to `most` over `groups` cache groups, so that fill() allocates nothing for those.
  FlatBatch(const Symbols& most, int groups);

  // Throws Error{invalid_argument} for an id outside the vocabulary, before anything is reserved, and what KvPool::reserve() throws.
  void fill(std::span<const StepSequence> sequences, KvPool& kv, int64_t vocab);

  // What fill() was given last; valid until it is called again. The page tables are those of the sequences.
  StepInput input(const KvPool& kv) const;
  Symbols symbols() const { return {std::ssize(ids_), sequences_, std::ssize(logits_row_)}; }

 private:
  void add(const StepSequence& sequence, int64_t vocab);

  std::vector<int32_t> ids_, positions_, sequence_of_, logits_row_;
  std::vector<PageTable> tables_;
  int64_t sequences_ = 0;
  bool top_only_ = false;
};

}  // namespace hyalite
