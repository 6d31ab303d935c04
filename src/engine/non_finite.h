// Where values first cease to be finite.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/step_runner.h"

namespace hyalite {

// Runs the sequence again from its first token, in steps of at most `chunk`, and looks at every result. Throws Error{non_finite_logits}
// naming the step of the plan whose result is the first with a NaN or an infinity; returns where none has one. `pages` are written anew.
void find_non_finite(StepRunner& steps, SequencePages& pages, std::span<const int32_t> ids, int64_t chunk);

}  // namespace hyalite
