#include "cli/memory_plan.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <span>
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

// Weights that some step reads all of, as they are in the file. A table of which steps look up a few rows stays on disk.
std::set<std::string_view> read_whole(std::span<const ExecutionPlan* const> plans) {
  std::set<std::string_view> names;
  for (const ExecutionPlan* plan : plans)
    for (const PlanStep& step : plan->steps)
      for (const PlanOperand& input : step.inputs)
        if (input.kind == PlanOperand::Kind::weight && step.op->name != "embed") names.insert(plan->weights[input.index].name);
  return names;
}

int64_t bytes_of_weights(const ExecutionPlan& prefill, const ExecutionPlan& decode, bool mapped) {
  const ExecutionPlan* plans[] = {&prefill, &decode};
  const std::set<std::string_view> whole = read_whole(plans);
  int64_t bytes = 0;
  for (const WeightForm& form : weight_forms(plans))
    if (mapped || !form.in_source || whole.contains(form.weight->name))
      bytes += static_cast<int64_t>(weight_bytes(form.weight->type, form.layout));
  return bytes;
}

}  // namespace

MemoryPlan plan_memory(const ExecutionPlan& prefill, const ExecutionPlan& decode, bool mapped, const KvPoolOptions& kv) {
  return {.weights = bytes_of_weights(prefill, decode, mapped),
          .kv = KvPool::bytes_needed(prefill.caches, kv),
          .activations = std::max(prefill.arena_bytes, decode.arena_bytes),
          .workspace = std::max(prefill.workspace_bytes, decode.workspace_bytes),
          .process = resident_bytes()};
}

}  // namespace hyalite
