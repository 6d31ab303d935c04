// Plan steps with their times, as JSON and as a table.
#pragma once

#include <iosfwd>
#include <span>

#include "base/json.h"
#include "workbench/step_profile.h"

namespace hyalite {

// Appends a row for each group of steps to `steps`. Returns what was observed as a whole, or null where nothing was.
Json add_steps(const ExecutionPlan& plan, std::span<const ObservedRun> runs, const Machine& machine, Json& steps);

// `step_ms` is the time of a decode step.
Json barriers_to_json(const ExecutionPlan& decode, double barrier_ns, double step_ms);

// REQUIRES: rows of add_steps.
void print_steps(const Json& steps, std::ostream& out);

}  // namespace hyalite
