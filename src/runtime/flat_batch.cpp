#include "runtime/flat_batch.h"

#include <algorithm>

#include "base/error.h"

namespace hyalite {

FlatBatch::FlatBatch(const Symbols& most, int groups) {
  ids_.reserve(most.tokens);
  positions_.reserve(most.tokens);
  sequence_of_.reserve(most.tokens);
  logits_row_.reserve(most.logits_rows);
  tables_.reserve(most.sequences * groups);
}

void FlatBatch::add(const StepSequence& sequence, int64_t vocab) {
  for (size_t i = 0; i < sequence.ids.size(); ++i) {
    const int32_t id = sequence.ids[i];
    if (id < 0 || id >= vocab)
      throw Error(ErrorCode::invalid_argument, "token id " + std::to_string(id), "the vocabulary has " + std::to_string(vocab) + " ids");
    const bool wanted =
        sequence.logits == StepSequence::Logits::all || (sequence.logits == StepSequence::Logits::last && i + 1 == sequence.ids.size());
    if (wanted) logits_row_.push_back(static_cast<int32_t>(ids_.size()));
    ids_.push_back(id);
    positions_.push_back(static_cast<int32_t>(sequence.cached + static_cast<int64_t>(i)));
    sequence_of_.push_back(static_cast<int32_t>(sequences_));
  }
  ++sequences_;
}

void FlatBatch::fill(std::span<const StepSequence> sequences, KvPool& kv, int64_t vocab) {
  for (auto* list : {&ids_, &positions_, &sequence_of_, &logits_row_}) list->clear();
  tables_.clear();
  sequences_ = 0;
  for (const StepSequence& sequence : sequences) add(sequence, vocab);
  for (const StepSequence& sequence : sequences) kv.reserve(*sequence.pages, sequence.cached + std::ssize(sequence.ids));
  for (int group = 0; group < kv.groups(); ++group)
    for (const StepSequence& sequence : sequences) {
      const std::vector<int32_t>& pages = sequence.pages->tables[group];
      tables_.push_back({pages.data(), static_cast<int32_t>(pages.size())});
    }
  top_only_ = std::ranges::all_of(sequences, &StepSequence::top_only);
}

StepInput FlatBatch::input(const KvPool& kv) const {
  const BatchView batch{static_cast<int32_t>(ids_.size()),
                        static_cast<int32_t>(sequences_),
                        static_cast<int32_t>(logits_row_.size()),
                        kv.groups(),
                        positions_.data(),
                        sequence_of_.data(),
                        logits_row_.data(),
                        tables_.data(),
                        top_only_};
  return {ids_, batch, kv.layers()};
}

}  // namespace hyalite
