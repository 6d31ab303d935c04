#include "compile/planning_passes.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "base/cancellation.h"
#include "base/clock.h"
#include "base/error.h"
#include "passes/validator.h"

namespace hyalite {
namespace {

PlanOptions plan_options(const Compilation& c, std::string_view mode) {
  const CompileOptions& o = c.options;
  PlanOptions options{.numerics = o.numerics,
                      .machine = o.machine,
                      .isa = o.isa,
                      .max_symbols = o.max_symbols,
                      .max_positions = o.max_positions,
                      .threads = o.threads,
                      .tuned = o.tuned.get()};
  if (mode == "decode") options.max_symbols = decode_symbols(o);
  return options;
}

void select(const Compilation& c, std::string_view mode, std::optional<ExecutionPlan>& plan, PassTrace& trace) {
  plan = select_kernels(*c.module.find(mode), c.caches, plan_options(c, mode));
  std::map<std::string_view, int> counts;
  for (const PlanStep& step : plan->steps) ++counts[step.variant->name];
  for (const auto& [name, count] : counts)
    trace.remarks.push_back({Remark::Kind::matched, "@" + plan->mode, fmt::format("{} x {}", name, count)});
}

void schedule(const Compilation&, std::string_view, std::optional<ExecutionPlan>& plan, PassTrace& trace) {
  const int moved = schedule_steps(*plan);
  trace.remarks.push_back({Remark::Kind::note, "@" + plan->mode, fmt::format("{} steps in order, {} moved", plan->steps.size(), moved)});
}

void place(const Compilation&, std::string_view, std::optional<ExecutionPlan>& plan, PassTrace& trace) {
  place_activations(*plan);
  int64_t unshared = 0;
  for (const PlanStep& step : plan->steps)
    for (const PlanOperand& output : step.outputs)
      if (output.kind == PlanOperand::Kind::arena) unshared += bytes_of(output.type.tensor, plan->max_symbols);
  trace.remarks.push_back({Remark::Kind::note, "@" + plan->mode,
                           fmt::format("arena {:.2f} MB for {:.2f} MB of activations; workspace {:.2f} MB", plan->arena_bytes / 1e6,
                                       unshared / 1e6, plan->workspace_bytes / 1e6)});
}

constexpr std::array kPlanningPasses = {
    PlanningPass{"kernel-selection", select},
    PlanningPass{"scheduling", schedule},
    PlanningPass{"memory-planning", place},
};

double root_mean_square(const std::vector<float>& values) {
  double sum = 0;
  for (float value : values) sum += double{value} * value;
  return std::sqrt(sum / static_cast<double>(values.size()));
}

std::vector<float> minus(std::vector<float> a, const std::vector<float>& b) {
  std::ranges::transform(a, b, a.begin(), std::minus<>());
  return a;
}

// What passes do to the logits, one pass after the other.
class Measurement {
 public:
  Measurement(const Compilation& c, ThreadPool& pool) : c_(c), logits_(reference_validator(c.model.weights, &pool)(c.module)) {}

  void record(PassTrace& trace) {
    PlanLogits now = c_.options.plan_validator(c_);
    if (!now.why_not.empty()) {
      trace.remarks.push_back({Remark::Kind::note, "", "not measured: " + now.why_not});
      return;
    }
    trace.max_abs_error = logits_distance(logits_, now.values);
    check_finite(trace);
    if (*trace.max_abs_error > 0)
      trace.remarks.push_back({Remark::Kind::note, "",
                               fmt::format("its rounding changes logits of {:.2g} by {:.2g} (root mean squares)", root_mean_square(logits_),
                                           root_mean_square(minus(now.values, logits_)))});
    logits_ = std::move(now.values);
  }

 private:
  const Compilation& c_;
  std::vector<float> logits_;  // before the next pass
};

}  // namespace

std::span<const PlanningPass> planning_passes() {
  return kPlanningPasses;
}

void run_planning_passes(Compilation& c, ThreadPool& pool) {
  std::optional<Measurement> measurement;
  if (c.options.validate && c.options.plan_validator) measurement.emplace(c, pool);
  for (const PlanningPass& pass : kPlanningPasses) {
    throw_if_set(c.options.cancel);
    PassTrace trace{.name = std::string(pass.name)};
    for (const Graph& graph : c.module.graphs) trace.nodes_before += graph.node_count();
    trace.nodes_after = trace.nodes_before;  // plans show in schedules, not in graphs
    const Stopwatch watch;
    pass.apply(c, "prefill", c.prefill, trace);
    pass.apply(c, "decode", c.decode, trace);
    trace.ms = watch.ms();
    c.module.stage = pass.name;
    if (measurement) measurement->record(trace);
    c.passes.push_back(std::move(trace));
    if (c.options.stop_after == pass.name) return;
  }
}

}  // namespace hyalite
