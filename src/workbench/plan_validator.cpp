#include "workbench/plan_validator.h"

#include <algorithm>

#include "ir/evaluation_case.h"
#include "plan/weight_set.h"
#include "runtime/executor.h"

namespace hyalite {
namespace {

// A plan and what it is run on.
struct PlanCase {
  ExecutionPlan plan;
  EvaluationCase given;
};

std::vector<PlanCase> cases_of(const Compilation& c) {
  std::vector<PlanCase> cases;
  const DType kv = *c.options.kv_dtype;
  cases.push_back({*c.prefill, EvaluationCase::prefill(*c.module.find("prefill"), 1, kv)});
  cases.push_back({*c.decode, EvaluationCase::decode(*c.module.find("decode"), 1, kv)});
  return cases;
}

bool fits(const PlanCase& one) {
  const BatchView& batch = one.given.batch();
  const Symbols& most = one.plan.max_symbols;
  return batch.tokens <= most.tokens && batch.sequences <= most.sequences && batch.logits_rows <= most.logits_rows &&
         *std::max_element(batch.positions, batch.positions + batch.tokens) < one.plan.max_positions;
}

void append_logits(const PlanCase& one, const WeightSet& weights, ThreadPool& pool, std::vector<float>& logits) {
  const ExecutionPlan& plan = one.plan;
  const PageMemory arena(static_cast<size_t>(plan.arena_bytes)), workspace(static_cast<size_t>(plan.workspace_bytes));
  Executor executor(plan, weights, pool, arena.data(), workspace.data());
  const TensorView view = executor.run({.ids = one.given.inputs().ids, .batch = one.given.batch(), .caches = one.given.caches()});
  const auto* values = static_cast<const float*>(view.data);
  logits.insert(logits.end(), values, values + view.elements());
}

}  // namespace

PlanValidator plan_validator(ThreadPool& pool) {
  return [&pool, weights = std::shared_ptr<WeightSet>()](const Compilation& c) mutable -> PlanLogits {
    std::vector<PlanCase> cases = cases_of(c);
    if (!std::ranges::all_of(cases, fits)) return {.why_not = "the plans are too small for the two sequences of the validation"};
    std::vector<const ExecutionPlan*> plans;
    for (PlanCase& one : cases) {
      if (one.plan.arena_bytes == 0) place_activations(one.plan);
      plans.push_back(&one.plan);
    }
    const std::shared_ptr<const WeightStore> store(std::shared_ptr<void>(), &c.model.weights);  // the compilation owns it
    if (!weights) weights = WeightSet::pack(plans, store, pool);
    PlanLogits logits;
    for (const PlanCase& one : cases) append_logits(one, *weights, pool, logits.values);
    return logits;
  };
}

}  // namespace hyalite
