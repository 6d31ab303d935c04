#include "workbench/step_profile.h"

#include <algorithm>

#include "base/clock.h"
#include "base/error.h"
#include "base/quantile.h"

namespace hyalite {
namespace {

std::string shape_of(const TensorType& type, const Symbols& symbols) {
  std::string text;
  for (const Dim& dim : type.dims) text += (text.empty() ? "" : " x ") + std::to_string(dim.bind(symbols));
  return text + " " + std::string(format_of(type.dtype).name);
}

bool is_matrix(const PlanOperand& operand) {
  const bool weight = operand.kind == PlanOperand::Kind::weight || operand.kind == PlanOperand::Kind::packed;
  return weight && operand.type.tensor.rank() == 2;
}

std::string shape_of(const PlanStep& step, const Symbols& symbols) {
  std::string text;
  for (const PlanOperand& operand : step.inputs)
    if (is_matrix(operand)) text += (text.empty() ? "" : ", ") + shape_of(operand.type.tensor, symbols);
  for (const auto* operands : {&step.outputs, &step.inputs})
    for (const PlanOperand& operand : *operands)
      if (text.empty() && operand.type.kind == ValueType::Kind::tensor) text = shape_of(operand.type.tensor, symbols);
  return text;
}

// Where activations are rounded for quantised weights, the dot products are of int8.
std::string arithmetic_of(const PlanStep& step) {
  const std::string activations = step.attrs.text("activations", "f32");
  if (activations.starts_with("q8")) return "int8";
  return activations == "bf16" ? "bf16" : "f32";
}

// A bf16 dot instruction does half the operations of an int8 one of its width.
double rate_of(const std::string& arithmetic, const Machine& machine) {
  if (arithmetic == "int8") return machine.int8_ops_per_s;
  return arithmetic == "bf16" ? machine.int8_ops_per_s / 2 : machine.f32_flops_per_s;
}

StepGroup group_of(const ExecutionPlan& plan, const PlanStep& step, const ObservedRun& run, const Machine& machine) {
  const StepProblem sized(plan, step, run.symbols, run.cached);
  StepGroup group{.variant = std::string(step.variant->name),
                  .shape = shape_of(step, run.symbols),
                  .cost = cost_of(*step.op, sized.problem()),
                  .arithmetic = arithmetic_of(step),
                  .predicted_us = step.variant->seconds(sized.problem(), machine) * 1e6};
  const double moving = group.cost.bytes / machine.read_bytes_per_s, computing = group.cost.flops / rate_of(group.arithmetic, machine);
  group.memory_bound = moving >= computing;
  group.floor_us = std::max(moving, computing) * 1e6;
  return group;
}

bool same(const StepGroup& a, const StepGroup& b) {
  return a.variant == b.variant && a.shape == b.shape && a.cost.flops == b.cost.flops && a.cost.bytes == b.cost.bytes;
}

double median(std::vector<double>& values) {
  std::ranges::sort(values);
  return quantile(values, 0.5);
}

}  // namespace

StepProblem::StepProblem(const ExecutionPlan& plan, const PlanStep& step, const Symbols& symbols, int64_t cached) {
  for (const PlanOperand& operand : step.inputs) operands_.push_back(operand.type);
  for (const PlanOperand& operand : step.outputs) results_.push_back(operand.type);
  problem_ = {.operands = operands_,
              .results = results_,
              .attrs = &step.attrs,
              .symbols = symbols,
              .cache = step.layer < 0 ? nullptr : &plan.caches[step.layer],
              .cached = cached,
              .max_positions = plan.max_positions};
}

std::vector<StepGroup> profile_steps(const ExecutionPlan& plan, std::span<const ObservedRun> runs, const Machine& machine) {
  std::vector<StepGroup> groups;
  std::vector<std::vector<double>> times;  // by group
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    StepGroup group = group_of(plan, plan.steps[i], runs.front(), machine);
    const auto known = std::ranges::find_if(groups, [&](const StepGroup& one) { return same(one, group); });
    const auto at = static_cast<size_t>(known - groups.begin());
    if (known == groups.end()) {
      groups.push_back(std::move(group));
      times.emplace_back();
    }
    ++groups[at].steps;
    for (const ObservedRun& run : runs) times[at].push_back(static_cast<double>(run.nanoseconds.at(i)));
  }
  for (size_t g = 0; g < groups.size(); ++g) groups[g].measured_us = median(times[g]) / 1e3;
  return groups;
}

double measure_barrier_ns(ThreadPool& threads) {
  constexpr int kRounds = 21, kBarriers = 200;
  const SteadyClock clock;
  std::vector<double> rounds;
  threads.run([&](int thread) {
    for (int round = 0; round < kRounds; ++round) {
      const auto began = clock.now();
      for (int i = 0; i < kBarriers; ++i) threads.barrier();
      if (thread == 0) rounds.push_back(static_cast<double>((clock.now() - began).count()));
    }
  });
  return median(rounds) / kBarriers;
}

}  // namespace hyalite
