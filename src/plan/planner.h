// The planner: graph -> ExecutionPlan. Three planning passes, in this order.
// The only code that sees both a graph and kernels.
#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"
#include "plan/execution_plan.h"
#include "plan/tune_record.h"

namespace hyalite {

struct PlanOptions {
  // What changes results.
  Numerics numerics = Numerics::deterministic;
  // What changes speed or size.
  Machine machine;  // already restricted to the wanted ISA
  IsaLevel isa = IsaLevel::avx512;
  Symbols max_symbols{512, 1, 1};
  int64_t max_positions = 2048;
  int threads = 1;
  const TuneRecord* tuned = nullptr;  // of this machine; null: there is none
};

// Steps in graph order with variant, reason and refusals; weights listed; operands without places. Throws Error{unsupported} naming the
// node where no variant can run it, Error{invalid_model} where the graph is not lowered (a grouped_query_attention is left). REQUIRES: the
// graph is verified and every type known.
ExecutionPlan select_kernels(const Graph& graph, const std::vector<CacheSpec>& caches, const PlanOptions& options);
// Reorders steps: of those whose inputs are ready, the one that lets the most activation bytes go runs first; ties keep the graph's order.
// Returns how many steps stand elsewhere than before.
int schedule_steps(ExecutionPlan& plan);
// Gives every activation an arena offset so that values alive at the same time never overlap; sets arena_bytes and workspace_bytes.
void place_activations(ExecutionPlan& plan);

}  // namespace hyalite
