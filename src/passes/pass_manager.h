// Runs passes over a module: verifies before the first and after each, so that the pass at fault is named; times, counts, and where asked
// records text and diff, and measures what each rewrite does to the logits.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ir/diff.h"
#include "passes/pass.h"

namespace hyalite {

// Logits of a module on fixed inputs; called before and after passes that change something. See reference_validator().
using Validator = std::function<std::vector<float>(const Module& module)>;

struct PassRunOptions {
  std::string stop_after;    // name of the last pass to run; empty: all
  bool record_text = false;  // fill changes, before, after and diff
  Validator validator;       // empty: no errors are measured
};

// Largest absolute difference between two sets of logits of one size; NaN where one of them is none.
double logits_distance(const std::vector<float>& a, const std::vector<float>& b);

// What one pass did. Counts are sums over the module's graphs.
struct PassTrace {
  std::string name;
  bool changed = false;
  int nodes_before = 0, nodes_after = 0;
  double ms = 0;                        // of the pass itself
  std::optional<double> max_abs_error;  // of the logits, against before the pass; only where a validator ran
  std::vector<Remark> remarks;
  std::vector<OpChange> changes;    // nodes added, removed and changed, summed over the graphs; only where recorded
  std::string before, after, diff;  // CacheIR text and unified diff; only where recorded, diff empty where nothing changed
};

// Throws Error{non_finite_logits} where the pass was measured and the logits are not all finite.
void check_finite(const PassTrace& trace);

// Runs the passes that come after module.stage, in order, and sets module.stage after each. Throws Error{invalid_argument} for an unknown
// stop_after, Error{invalid_model} for a stage that is no pass of the pipeline or a module that does not verify before the first pass,
// Error{internal} naming the pass whose result does not verify.
std::vector<PassTrace> run_passes(std::span<const Pass* const> pipeline, Module& module, const PassContext& context,
                                  const PassRunOptions& options = {});

}  // namespace hyalite
