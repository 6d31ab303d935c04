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
      decode_(model.decode, *model.weights, pool, arena_.data(), workspace_.data()),
      batch_(limits(), kv_.groups()) {}

// Decode where no sequence brings more than a token and its drafts.
const ExecutionPlan& StepRunner::plan_of(std::span<const StepSequence> sequences) const {
  const ExecutionPlan& plan = model_.decode;
  const auto each = static_cast<size_t>(1 + draft_tokens(plan));
  const bool fits = std::ssize(sequences) <= plan.max_symbols.sequences &&
                    std::ranges::all_of(sequences, [&](const StepSequence& s) { return s.ids.size() <= each; });
  return fits ? plan : model_.prefill;
}

TensorView StepRunner::run(std::span<const StepSequence> sequences, const StepObserver* observer) {
  batch_.fill(sequences, kv_, model_.info.vocab);
  return (&plan_of(sequences) == &model_.decode ? decode_ : prefill_).run(batch_.input(kv_), observer);
}

}  // namespace hyalite
