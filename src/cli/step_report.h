// Plan steps with their times, as JSON and as a table.
#pragma once

#include <iosfwd>
#include <span>
#include <string>

#include "base/json.h"
#include "workbench/step_profile.h"

namespace hyalite {

// Appends a row for each group of steps to `steps`. Returns what was observed as a whole, or null where nothing was.
Json add_steps(const ExecutionPlan& plan, std::span<const ObservedRun> runs, const Machine& machine, Json& steps);

// `step_ms` is the time of a decode step.
Json barriers_to_json(const ExecutionPlan& decode, double barrier_ns, double step_ms);

// One line. The barrier is timed by itself: where other work held it up so much that it would take more than the step, it has no share.
std::string barrier_line(const Json& barriers);

// REQUIRES: rows of add_steps.
void print_steps(const Json& steps, std::ostream& out);

}  // namespace hyalite
