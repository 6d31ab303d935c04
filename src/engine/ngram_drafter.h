// Prompt lookup: the sequence's own past is the draft. Guesses what followed the most recent earlier occurrence of the longest known end of
// the sequence. Answers that copy (edits of code, quotations, lists) are guessed well; nothing else is.
#pragma once

#include <array>

#include "engine/drafter.h"

namespace hyalite {

class NgramDrafter final : public Drafter {
 public:
  explicit NgramDrafter(int64_t max_tokens);

  void begin(std::span<const int32_t> prompt) override;
  void draft(const DraftContext& context, std::vector<int32_t>& drafts) override;

 private:
  static constexpr std::array<int64_t, 4> kLengths = {16, 8, 4, 2};  // of ends that are looked up, longest first

  // Open addressing: each slot is the place after the most recent occurrence of an n-gram; 0: empty. Never more than half full.
  using Table = std::vector<int32_t>;

  // The slot of the n-gram that ends before `end`, or the empty one where it belongs.
  static int32_t& slot(Table& table, const int32_t* ids, int64_t length, int64_t end);
  void note(const int32_t* ids, int64_t size);

  std::array<Table, kLengths.size()> tables_;
  int64_t known_ = 0;  // n-grams that end up to here are in the tables
};

}  // namespace hyalite
