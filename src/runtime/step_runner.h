// One step of the model over any mix of sequences: turns counts into a flat batch, picks the prefill or decode plan, runs it.
// Prefill, chunked prefill and decode differ only in how many tokens each sequence brings.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "plan/model_plan.h"
#include "runtime/flat_batch.h"

namespace hyalite {

class StepRunner {
 public:
  // `pool` and `model` outlive the runner. The KV pool is taken for sequences of up to kv.max_tokens.
  StepRunner(const ModelPlan& model, const KvPoolOptions& kv, ThreadPool& pool);

  // Logits of the rows asked for, in sequence order, then token order; valid until the next run. Throws Error{invalid_argument} for an id
  // outside the vocabulary, Error{context_length_exceeded} for a sequence that does not fit. After an error the caches are unchanged as far
  // as any sequence's `cached` count goes. One caller at a time.
  TensorView run(std::span<const StepSequence> sequences, const StepObserver* observer = nullptr);

  // The plan that run() would take.
  const ExecutionPlan& plan_of(std::span<const StepSequence> sequences) const;

  // The most tokens and logits rows that one step may have.
  const Symbols& limits() const { return model_.prefill.max_symbols; }
  KvPool& kv() { return kv_; }
  const ModelPlan& model() const { return model_; }
  // Where the operands of kind `arena` lie; an observer may read those that a later step still reads.
  const uint8_t* arena() const { return arena_.data(); }
  int64_t arena_bytes() const { return static_cast<int64_t>(arena_.bytes()); }

 private:
  const ModelPlan& model_;
  KvPool kv_;
  PageMemory arena_, workspace_;
  Executor prefill_, decode_;
  FlatBatch batch_;
};

}  // namespace hyalite
