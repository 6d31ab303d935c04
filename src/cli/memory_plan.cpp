#include "cli/memory_plan.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <string>

#include "plan/weight_set.h"

namespace hyalite {
namespace {

int64_t resident_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "VmRSS:") {
      int64_t kib = 0;
      status >> kib;
      return kib * 1024;
    }
  return 0;
}

int64_t weight_bytes_of(const std::vector<const ExecutionPlan*>& plans) {
  std::set<WeightKey> counted;
  int64_t bytes = 0;
  for (const ExecutionPlan* plan : plans)
    for (const PlanWeight& weight : plan->weights)
      for (bool packed : {false, true}) {
        bool used = packed ? weight.packed : weight.as_is;
        bool in_file = !packed && weight.converted_from.empty() && weight.values.empty();
        if (used && !in_file && counted.insert({weight.name, weight.type.dtype, packed}).second)
          bytes += static_cast<int64_t>(weight_bytes(weight.type, packed));
      }
  return bytes;
}

}  // namespace

MemoryPlan plan_memory(const Compilation& c, const KvPoolOptions& kv) {
  return {.weights = weight_bytes_of({&*c.prefill, &*c.decode}),
          .kv = KvPool::bytes_needed(c.caches, kv),
          .activations = std::max(c.prefill->arena_bytes, c.decode->arena_bytes),
          .workspace = std::max(c.prefill->workspace_bytes, c.decode->workspace_bytes),
          .process = resident_bytes()};
}

}  // namespace hyalite
