// Which variant runs a step, and why: the first usable one in the order of preference of variants.inc, unless the tune record knows a
// faster one; the reference evaluation where there is none.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "plan/planner.h"

namespace hyalite {

// Sets the step's variant, reason, refusals, cost, predicted_us and tuned_us. `layout` is that of its weight matrices; absent where it has
// none. Throws Error{unsupported} naming the step where no variant can run it.
void choose_variant(PlanStep& step, const Problem& problem, std::optional<std::string_view> layout, const PlanOptions& options);

// The variants that could run a step of a plan and would make the same bits, or, under fast numerics, bits as good; best first, without the
// reference evaluation.
std::vector<const KernelVariant*> usable_variants(const PlanStep& step, const Problem& problem, const PlanOptions& options);

// Under which problem the tune record files a step of a plan.
std::string problem_key_of(const PlanStep& step, const Problem& problem, const PlanOptions& options);

}  // namespace hyalite
