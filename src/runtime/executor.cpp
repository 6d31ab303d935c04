#include "runtime/executor.h"

#include "base/clock.h"
#include "base/error.h"
#include "ops/reference.h"

namespace hyalite {
namespace {

// Only reference code takes long enough to be cut, and may be: it has one phase and no workspace of each thread.
int parts_of(const PlanStep& step) {
  return step.variant->run == step.op->evaluate ? reference_parts(step.cost) : 1;
}

}  // namespace

Executor::Executor(const ExecutionPlan& plan, const WeightSet& weights, ThreadPool& pool, uint8_t* arena, uint8_t* workspace)
    : plan_(plan), weights_(weights), pool_(pool), arena_(arena), workspace_(workspace) {
  steps_.reserve(plan.steps.size());  // views are pointed to below
  for (const PlanStep& step : plan.steps) bind(step);
  logits_ = resolve(plan.logits);
}

TensorView Executor::resolve(const PlanOperand& operand) const {
  using Kind = PlanOperand::Kind;
  switch (operand.kind) {
    case Kind::arena: return view_of(operand.type.tensor, arena_ + operand.offset);
    case Kind::weight: return weights_.view(plan_.weights[operand.index], "");
    case Kind::packed: return weights_.view(plan_.weights[operand.index], plan_.weights[operand.index].packed);
    case Kind::ids: return view_of(operand.type.tensor, nullptr);
    default: return {};
  }
}

void Executor::bind(const PlanStep& step) {
  BoundStep& bound = steps_.emplace_back();
  bound.variant = step.variant;
  bound.layer = step.layer;
  bound.parts = parts_of(step);
  if (step.op->bind) step.op->bind(step.attrs, bound.params.data());
  auto add = [&](const std::vector<PlanOperand>& operands, std::vector<TensorView>& views) {
    views.reserve(operands.size());
    for (const PlanOperand& operand : operands) {
      TensorView* view = &views.emplace_back(resolve(operand));
      bound.wants_batch = bound.wants_batch || operand.kind == PlanOperand::Kind::batch;
      if (operand.kind == PlanOperand::Kind::ids) ids_views_.push_back(view);
      if (operand.type.kind != ValueType::Kind::tensor) continue;
      for (int axis = 0; axis < operand.type.tensor.rank(); ++axis)
        if (const Dim& dim = operand.type.tensor.dims[axis]; dim.is_symbol()) symbolic_.push_back({view, axis, dim.name()});
    }
  };
  add(step.inputs, bound.inputs);
  add(step.outputs, bound.outputs);
}

TensorView Executor::run(const StepInput& input, const StepObserver* observer) {
  const BatchView& batch = input.batch;
  Symbols symbols{batch.tokens, batch.sequences, batch.logits_rows};
  const Symbols& most = plan_.max_symbols;
  HYALITE_CHECK(symbols.tokens <= most.tokens && symbols.sequences <= most.sequences && symbols.logits_rows <= most.logits_rows,
                "the batch is larger than the plan");
  for (const SymbolicDim& dim : symbolic_) dim.view->dims[dim.axis] = Dim::symbol(dim.symbol).bind(symbols);
  for (TensorView* view : ids_views_) view->data = const_cast<int32_t*>(input.ids.data());
  pool_.run([&](int thread) { run_steps(input, thread, observer); });
  logits_.dims[0] = symbols.logits_rows;
  return logits_;
}

void Executor::run_steps(const StepInput& input, int thread, const StepObserver* observer) {
  const SteadyClock clock;
  auto began = observer ? clock.now() : Clock::Nanoseconds();
  for (size_t i = 0; i < steps_.size(); ++i) {
    const BoundStep& step = steps_[i];
    OpArgs args{step.inputs.data(),
                step.outputs.data(),
                step.params.data(),
                step.wants_batch ? &input.batch : nullptr,
                step.layer >= 0 ? &input.caches[step.layer] : nullptr,
                workspace_};
    for (int phase = 0; phase < step.variant->phases; ++phase)
      for (int part = 0; part < step.parts; ++part) {
        step.variant->run(args, WorkRange{part * pool_.size() + thread, step.parts * pool_.size(), phase});
        pool_.barrier();
      }
    if (!observer) continue;
    if (thread == 0) (*observer)(i, (clock.now() - began).count());
    pool_.barrier();  // what the observer looks at stays as it is
    began = clock.now();
  }
}

int64_t barriers_of(const ExecutionPlan& plan) {
  int64_t count = 0;
  for (const PlanStep& step : plan.steps) count += int64_t{step.variant->phases} * parts_of(step);
  return count;
}

}  // namespace hyalite
