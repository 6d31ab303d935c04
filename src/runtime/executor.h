// Runs an execution plan, and nothing but the plan: the same steps, in the same order, on the threads of a pool.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "plan/execution_plan.h"
#include "plan/weight_set.h"

namespace hyalite {

// One step's input. The caller keeps all of it alive during run().
struct StepInput {
  std::span<const int32_t> ids;  // [T], each checked to lie in [0, vocab)
  BatchView batch;
  std::span<const CacheView> caches;  // by layer
};

// Told after each plan step, on the calling thread, with the step's index and its time, before the
// next one begins; what it throws ends the run. For profiles; null costs nothing.
using StepObserver = FunctionRef<void(size_t step, int64_t nanoseconds)>;

class Executor {
 public:
  // Resolves every operand to memory once. `arena` holds plan.arena_bytes and `workspace` plan.workspace_bytes; executors that never run at
  // the same time may share them. All arguments outlive the executor.
  Executor(const ExecutionPlan& plan, const WeightSet& weights, ThreadPool& pool, uint8_t* arena, uint8_t* workspace);

  // Runs all steps, or throws Error{cancelled} between two of them where the pool is told to (ThreadPool::CancelScope). Returns the logits
  // [L, vocab], in the arena until the next run. One caller at a time. Allocates nothing. REQUIRES: the batch is within plan.max_symbols
  // (HYALITE_CHECK).
  TensorView run(const StepInput& input, const StepObserver* observer = nullptr);

  const ExecutionPlan& plan() const { return plan_; }

 private:
  struct BoundStep {
    const KernelVariant* variant;
    int parts = 1;                            // barriers lie between them
    std::vector<TensorView> inputs, outputs;  // dims of symbols are set before each run
    alignas(16) std::array<uint8_t, kMaxParamBytes> params{};
    bool wants_batch = false;
    int32_t layer = -1;
  };
  struct SymbolicDim {
    TensorView* view;
    int axis;
    char symbol;
  };

  void bind(const PlanStep& step);
  TensorView resolve(const PlanOperand& operand) const;
  void run_steps(const StepInput& input, int thread, const StepObserver* observer);

  const ExecutionPlan& plan_;
  const WeightSet& weights_;
  ThreadPool& pool_;
  uint8_t *arena_, *workspace_;
  std::vector<BoundStep> steps_;
  std::vector<SymbolicDim> symbolic_;
  std::vector<TensorView*> ids_views_;
  TensorView logits_;
};

// How often the threads meet in one run of the plan: after every phase of every step.
int64_t barriers_of(const ExecutionPlan& plan);

}  // namespace hyalite
