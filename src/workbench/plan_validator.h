// Runs the plans of a compilation as they stand: what a planning pass does to the logits.
#pragma once

#include "base/thread_pool.h"
#include "compile/compiler.h"

namespace hyalite {

// The prefill and the decode case of ir/evaluation_case.h, with caches of the compilation's own format, through the executor. Activations
// that have no place yet are placed in a copy of the plan. Packs the weights once: a validator serves one
// compilation. `pool` outlives it; one thread at a time.
PlanValidator plan_validator(ThreadPool& pool);

}  // namespace hyalite
