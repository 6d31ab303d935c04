// What a model will take in memory, before its weights are read: the plans' own numbers.
#pragma once

#include "base/json.h"
#include "compile/compiler.h"
#include "runtime/kv_pool.h"

namespace hyalite {

struct MemoryPlan {
  int64_t weights = 0;  // in the forms the plans read; what stays in the mapped file is not counted
  int64_t kv = 0;
  int64_t activations = 0;  // the arena
  int64_t workspace = 0;
  int64_t process = 0;  // program, tokenizer, plans: this process as it is now
  int64_t total() const { return weights + kv + activations + workspace + process; }
};

// REQUIRES: both plans are there.
MemoryPlan plan_memory(const Compilation& compilation, const KvPoolOptions& kv);

}  // namespace hyalite
