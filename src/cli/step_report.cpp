#include "cli/step_report.h"

#include <fmt/format.h>

#include <ostream>

#include "cli/table.h"
#include "runtime/executor.h"

namespace hyalite {
namespace {

Json row_of(const std::string& mode, const StepGroup& group, double run_us) {
  const double seconds = group.measured_us * 1e-6;
  auto rate = [&](double amount) { return seconds > 0 ? amount / seconds / 1e9 : 0; };
  return {{"mode", mode},
          {"variant", group.variant},
          {"shape", group.shape},
          {"steps", group.steps},
          {"measured_us", group.measured_us},
          {"predicted_us", group.predicted_us},
          {"floor_us", group.floor_us},
          {"bytes", group.cost.bytes},
          {"flops", group.cost.flops},
          {"gb_per_s", rate(group.cost.bytes)},
          {"gflop_per_s", rate(group.cost.flops)},
          {"arithmetic", group.arithmetic},
          {"bound", group.memory_bound ? "memory" : "compute"},
          {"roofline_share", group.roofline_share()},
          {"time_share", run_us > 0 ? group.total_us() / run_us : 0}};
}

}  // namespace

Json add_steps(const ExecutionPlan& plan, std::span<const ObservedRun> runs, const Machine& machine, Json& steps) {
  if (runs.empty()) return {};
  const std::vector<StepGroup> groups = profile_steps(plan, runs, machine);
  double run_us = 0, floor_us = 0;
  for (const StepGroup& group : groups) {
    run_us += group.total_us();
    floor_us += group.floor_us * static_cast<double>(group.steps);
  }
  for (const StepGroup& group : groups) steps.push_back(row_of(plan.mode, group, run_us));
  const ObservedRun& first = runs.front();
  return {{"tokens", first.symbols.tokens},
          {"sequences", first.symbols.sequences},
          {"cached", first.cached},
          {"runs", runs.size()},
          {"ms", run_us / 1e3},
          {"floor_ms", floor_us / 1e3},
          {"roofline_share", run_us > 0 ? floor_us / run_us : 0}};
}

Json barriers_to_json(const ExecutionPlan& decode, double barrier_ns, double step_ms) {
  const int64_t count = barriers_of(decode);
  const double ms = static_cast<double>(count) * barrier_ns / 1e6;
  return {{"ns", barrier_ns}, {"decode_per_step", count}, {"decode_us", ms * 1e3}, {"decode_share", step_ms > 0 ? ms / step_ms : 0}};
}

std::string barrier_line(const Json& barriers) {
  const double share = barriers["decode_share"].get<double>();
  return fmt::format("{} barriers a decode step at {:.2f} us each, timed apart{}\n", barriers["decode_per_step"].get<int64_t>(),
                     barriers["ns"].get<double>() / 1e3, share < 1 ? fmt::format(": {:.1f}% of it", share * 100) : "");
}

void print_steps(const Json& steps, std::ostream& out) {
  Table table({"mode", "variant", "shape", ">steps", ">us each", ">floor", ">GB/s", ">GFLOP/s", "bound", ">of roofline", ">of time"});
  auto number = [](const Json& value, int digits) { return fmt::format("{:.{}f}", value.get<double>(), digits); };
  auto percent = [](const Json& value) { return fmt::format("{:.0f}%", value.get<double>() * 100); };
  for (const Json& one : steps)
    table.row({one["mode"], one["variant"], one["shape"], one["steps"].dump(), number(one["measured_us"], 1), number(one["floor_us"], 1),
               number(one["gb_per_s"], 1), number(one["gflop_per_s"], 1), one["bound"], percent(one["roofline_share"]),
               percent(one["time_share"])});
  table.print(out);
}

}  // namespace hyalite
