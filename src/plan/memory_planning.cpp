#include <algorithm>
#include <map>

#include "plan/planner.h"

namespace hyalite {
namespace {

constexpr int64_t kAlignment = 64;  // a cache line, and the widest vector

struct Interval {
  std::string name;
  int64_t bytes;
  int first, last;  // steps, both inclusive
  int64_t offset = 0;
};

std::vector<Interval> live_intervals(const ExecutionPlan& plan) {
  std::map<std::string, Interval> intervals;
  for (int i = 0; i < static_cast<int>(plan.steps.size()); ++i) {
    for (const PlanOperand& output : plan.steps[i].outputs)
      if (output.kind == PlanOperand::Kind::arena) {
        int64_t bytes = (bytes_of(output.type.tensor, plan.max_symbols) + kAlignment - 1) / kAlignment * kAlignment;
        intervals[output.name] = {output.name, bytes, i, i};
      }
    for (const PlanOperand& input : plan.steps[i].inputs)
      if (input.kind == PlanOperand::Kind::arena) intervals.at(input.name).last = i;
  }
  intervals.at(plan.logits.name).last = static_cast<int>(plan.steps.size());
  std::vector<Interval> list;
  for (auto& [name, interval] : intervals) list.push_back(std::move(interval));
  return list;
}

// Largest first, each at the lowest offset that no interval placed before it and alive with it occupies (Pisarchyk and Lee 2020, "greedy by
// size"; within a few percent of the lower bound on chains such as ours).
void place(std::vector<Interval>& intervals) {
  std::ranges::stable_sort(intervals, [](const Interval& a, const Interval& b) { return a.bytes > b.bytes; });
  std::vector<const Interval*> placed;  // by offset
  for (Interval& one : intervals) {
    int64_t at = 0;
    for (const Interval* other : placed) {
      if (other->last < one.first || other->first > one.last) continue;
      if (at + one.bytes <= other->offset) break;
      at = std::max(at, other->offset + other->bytes);
    }
    one.offset = at;
    placed.insert(std::ranges::upper_bound(placed, at, {}, [](const Interval* i) { return i->offset; }), &one);
  }
}

}  // namespace

void place_activations(ExecutionPlan& plan) {
  std::vector<Interval> intervals = live_intervals(plan);
  place(intervals);
  std::map<std::string, int64_t> offsets;
  plan.arena_bytes = 0;
  for (const Interval& interval : intervals) {
    offsets[interval.name] = interval.offset;
    plan.arena_bytes = std::max(plan.arena_bytes, interval.offset + interval.bytes);
  }
  auto set = [&](PlanOperand& operand) {
    if (operand.kind == PlanOperand::Kind::arena) operand.offset = offsets.at(operand.name);
  };
  plan.workspace_bytes = 0;
  for (PlanStep& step : plan.steps) {
    std::ranges::for_each(step.inputs, set);
    std::ranges::for_each(step.outputs, set);
    plan.workspace_bytes = std::max(plan.workspace_bytes, step.workspace_bytes);
  }
  set(plan.logits);
}

}  // namespace hyalite
