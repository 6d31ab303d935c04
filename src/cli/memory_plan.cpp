#include "cli/memory_plan.h"

#include <algorithm>
#include <fstream>
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

int64_t packed_bytes(const Compilation& c) {
  const ExecutionPlan* plans[] = {&*c.prefill, &*c.decode};
  int64_t bytes = 0;
  for (const WeightForm& form : weight_forms(plans))
    if (!form.in_source) bytes += static_cast<int64_t>(weight_bytes(form.weight->type, form.layout));
  return bytes;
}

}  // namespace

MemoryPlan plan_memory(const Compilation& c, const KvPoolOptions& kv) {
  return {.weights = packed_bytes(c),
          .kv = KvPool::bytes_needed(c.caches, kv),
          .activations = std::max(c.prefill->arena_bytes, c.decode->arena_bytes),
          .workspace = std::max(c.prefill->workspace_bytes, c.decode->workspace_bytes),
          .process = resident_bytes()};
}

}  // namespace hyalite
