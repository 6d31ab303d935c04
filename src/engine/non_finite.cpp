#include "engine/non_finite.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace hyalite {
namespace {

// Results of other formats than f32 are made of f32 ones.
bool is_finite(const PlanOperand& result, const Symbols& symbols, const uint8_t* arena) {
  if (result.kind != PlanOperand::Kind::arena || result.type.tensor.dtype != DType::f32) return true;
  const TensorView view = view_of(result.type.tensor, const_cast<uint8_t*>(arena) + result.offset, symbols);
  const std::span<const float> values(view.as<float>(), static_cast<size_t>(view.elements()));
  return std::ranges::all_of(values, [](float value) { return std::isfinite(value); });
}

}  // namespace

void find_non_finite(StepRunner& steps, SequencePages& pages, std::span<const int32_t> ids, int64_t chunk) {
  for (int64_t at = 0; at < std::ssize(ids); at += chunk) {
    const StepSequence part{&pages, at, ids.subspan(at, std::min(chunk, std::ssize(ids) - at)), StepSequence::Logits::last};
    const ExecutionPlan& plan = steps.plan_of({&part, 1});
    const Symbols symbols{std::ssize(part.ids), 1, 1};
    auto look = [&](size_t index, int64_t) {
      const PlanStep& step = plan.steps[index];
      for (const PlanOperand& result : step.outputs)
        if (!is_finite(result, symbols, steps.arena()))
          throw Error(ErrorCode::non_finite_logits, step.path + " (" + std::string(step.op->name) + ")",
                      "its result is the first that holds NaN or Inf");
    };
    const StepObserver observer(look);
    steps.run({&part, 1}, &observer);
  }
}

}  // namespace hyalite
