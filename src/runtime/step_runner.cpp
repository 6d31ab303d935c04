#include "runtime/step_runner.h"

#include <algorithm>

#include "base/error.h"

namespace hyalite {

StepRunner::StepRunner(const ModelPlan& model, const KvPoolOptions& kv, ThreadPool& pool)
    : model_(model),
      kv_(model.prefill.caches, kv, pool),
      arena_(static_cast<size_t>(std::max(model.prefill.arena_bytes, model.decode.arena_bytes)), pool),
      workspace_(static_cast<size_t>(std::max(model.prefill.workspace_bytes, model.decode.workspace_bytes))),
      prefill_(model.prefill, *model.weights, pool, arena_.data(), workspace_.data()),
      decode_(model.decode, *model.weights, pool, arena_.data(), workspace_.data()) {
  const Symbols& most = limits();
  ids_.reserve(most.tokens);
  positions_.reserve(most.tokens);
  sequence_of_.reserve(most.tokens);
  logits_row_.reserve(most.logits_rows);
  tables_.reserve(most.sequences * kv_.groups());
}

void StepRunner::flatten(std::span<const StepSequence> sequences) {
  for (auto* list : {&ids_, &positions_, &sequence_of_, &logits_row_}) list->clear();
  for (size_t s = 0; s < sequences.size(); ++s) {
    const StepSequence& sequence = sequences[s];
    for (size_t i = 0; i < sequence.ids.size(); ++i) {
      int32_t id = sequence.ids[i];
      if (id < 0 || id >= model_.info.vocab)
        throw Error(ErrorCode::invalid_argument, "token id " + std::to_string(id),
                    "the vocabulary has " + std::to_string(model_.info.vocab) + " ids");
      bool wanted =
          sequence.logits == StepSequence::Logits::all || (sequence.logits == StepSequence::Logits::last && i + 1 == sequence.ids.size());
      if (wanted) logits_row_.push_back(static_cast<int32_t>(ids_.size()));
      ids_.push_back(id);
      positions_.push_back(static_cast<int32_t>(sequence.cached + static_cast<int64_t>(i)));
      sequence_of_.push_back(static_cast<int32_t>(s));
    }
  }
}

// Decode where no sequence brings more than a token and its drafts.
const ExecutionPlan& StepRunner::plan_of(std::span<const StepSequence> sequences) const {
  const ExecutionPlan& plan = model_.decode;
  const auto each = static_cast<size_t>(1 + draft_tokens(plan));
  const bool fits = std::ssize(sequences) <= plan.max_symbols.sequences &&
                    std::ranges::all_of(sequences, [&](const StepSequence& s) { return s.ids.size() <= each; });
  return fits ? plan : model_.prefill;
}

TensorView StepRunner::run(std::span<const StepSequence> sequences, const StepObserver* observer) {
  flatten(sequences);
  for (const StepSequence& sequence : sequences) kv_.reserve(*sequence.pages, sequence.cached + static_cast<int64_t>(sequence.ids.size()));
  tables_.clear();
  for (int group = 0; group < kv_.groups(); ++group)
    for (const StepSequence& sequence : sequences) {
      const std::vector<int32_t>& pages = sequence.pages->tables[group];
      tables_.push_back({pages.data(), static_cast<int32_t>(pages.size())});
    }
  BatchView batch{static_cast<int32_t>(ids_.size()),
                  static_cast<int32_t>(sequences.size()),
                  static_cast<int32_t>(logits_row_.size()),
                  kv_.groups(),
                  positions_.data(),
                  sequence_of_.data(),
                  logits_row_.data(),
                  tables_.data(),
                  std::ranges::all_of(sequences, &StepSequence::top_only)};
  return (&plan_of(sequences) == &model_.decode ? decode_ : prefill_).run({ids_, batch, kv_.layers()}, observer);
}

}  // namespace hyalite
