// What a model will take in memory, before its weights are read: the plans' own numbers.
#pragma once

#include "base/json.h"
#include "plan/execution_plan.h"
#include "runtime/kv_pool.h"

namespace hyalite {

struct MemoryPlan {
  int64_t weights = 0;  // in the forms the plans read; what stays in a mapped checkpoint is not counted
  int64_t kv = 0;
  int64_t activations = 0;  // the arena
  int64_t workspace = 0;
  int64_t process = 0;  // program, tokenizer, plans: this process as it is now
  int64_t total() const { return weights + kv + activations + workspace + process; }
};

// Of a model's two plans. `mapped`: of an artifact, whose weights are all mapped and, since their digest is checked, all read; a
// checkpoint's weights are packed into memory of their own.
MemoryPlan plan_memory(const ExecutionPlan& prefill, const ExecutionPlan& decode, bool mapped, const KvPoolOptions& kv);

}  // namespace hyalite
