// The last passes of a compilation: from graphs to plans.
#pragma once

#include <span>

#include "compile/compiler.h"

namespace hyalite {

struct PlanningPass {
  std::string_view name;
  // Makes or changes the plan of one mode, "prefill" or "decode", and leaves remarks. `plan` is absent before the first pass only.
  void (*apply)(const Compilation& c, std::string_view mode, std::optional<ExecutionPlan>& plan, PassTrace& trace);
};

std::span<const PlanningPass> planning_passes();  // in order

// REQUIRES: the module has both graphs. Runs them up to c.options.stop_after and appends their traces to c.passes; measures each where
// c.options asks for it. Errors: those of plan/planner.h; Error{non_finite_logits} where a plan cannot be compared; Error{cancelled}.
void run_planning_passes(Compilation& c, ThreadPool& pool);

}  // namespace hyalite
