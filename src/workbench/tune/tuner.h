// Measures the variants that a model's plans could use, in whole steps of the model: a prefill step, and decode steps of several batch
// sizes. So weights come from memory where they do when the model runs, activations from the step before, and every phase ends with the
// threads' barrier. Variants that are compared make the same bits, or, under fast numerics, bits as good, so the numbers that flow are the
// model's own throughout.
#pragma once

#include <atomic>
#include <vector>

#include "base/progress.h"
#include "base/thread_pool.h"
#include "plan/model_plan.h"
#include "plan/planner.h"
#include "workbench/tune/tune_rounds.h"

namespace hyalite {

struct TuneOptions {
  int64_t samples = 15;                       // of each variant of a problem, at least
  Machine machine;                            // restricted as the plans are
  const std::atomic<bool>* cancel = nullptr;  // Error{cancelled}
};

// Sequences of the decode steps to measure: the largest of each range of rows up to `most`.
std::vector<int64_t> tuned_batches(int64_t most);

// More runs than this are never needed, for a progress bar.
int64_t most_tune_runs(const ModelPlan& model, int64_t samples);

// What was found out, by problem_key(). Problems with a single usable variant, and those too small to be worth their measuring, are not
// there. `pool` has the threads that the choices are for. Throws Error{invalid_argument} for plans of reference numerics.
std::map<std::string, TuneChoice, std::less<>> tune(const ModelPlan& model, const TuneOptions& options, ThreadPool& pool,
                                                    Progress& progress);

}  // namespace hyalite
