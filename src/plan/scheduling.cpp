#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "plan/planner.h"

namespace hyalite {
namespace {

// Dependences between steps: a value's producer before its users, and those who read a state of a cache before the step that changes it.
class Scheduler {
 public:
  explicit Scheduler(ExecutionPlan& plan) : plan_(plan), waits_(plan.steps.size(), 0), users_(plan.steps.size()) {
    std::map<std::string, size_t> producer;
    std::map<std::string, std::vector<size_t>> readers;  // of a cache's state
    for (size_t i = 0; i < plan.steps.size(); ++i) {
      std::set<size_t> before;
      for (const PlanOperand& input : plan.steps[i].inputs)
        if (auto made = producer.find(input.name); made != producer.end()) before.insert(made->second);
      const bool changes = std::ranges::count(plan.steps[i].outputs, PlanOperand::Kind::cache, &PlanOperand::kind) > 0;
      for (const PlanOperand& input : plan.steps[i].inputs) {
        if (input.kind != PlanOperand::Kind::cache) continue;
        std::vector<size_t>& earlier = readers[input.name];
        if (changes) before.insert(earlier.begin(), earlier.end());
        earlier.push_back(i);
      }
      for (size_t step : before) users_[step].push_back(i);
      waits_[i] = before.size();
      for (const PlanOperand& input : plan.steps[i].inputs)
        if (input.kind == PlanOperand::Kind::arena) ++uses_left_[input.name];
      for (const PlanOperand& output : plan.steps[i].outputs) producer[output.name] = i;
    }
  }

  int run() {
    std::set<size_t> ready;
    int moved = 0;
    for (size_t i = 0; i < waits_.size(); ++i)
      if (waits_[i] == 0) ready.insert(i);
    std::vector<PlanStep> order;
    while (!ready.empty()) {
      size_t next = *std::ranges::min_element(ready, {}, [&](size_t i) { return growth(plan_.steps[i]); });
      ready.erase(next);
      for (const PlanOperand& input : plan_.steps[next].inputs)
        if (input.kind == PlanOperand::Kind::arena) --uses_left_[input.name];
      for (size_t user : users_[next])
        if (--waits_[user] == 0) ready.insert(user);
      moved += next != order.size();
      order.push_back(std::move(plan_.steps[next]));
    }
    HYALITE_CHECK(order.size() == waits_.size(), "the steps of @" + plan_.mode + " depend on each other in a circle");
    plan_.steps = std::move(order);
    return moved;
  }

 private:
  // Activation bytes that come alive less those that die when `step` runs.
  int64_t growth(const PlanStep& step) const {
    int64_t bytes = 0;
    for (const PlanOperand& output : step.outputs)
      if (output.kind == PlanOperand::Kind::arena) bytes += bytes_of(output.type.tensor, plan_.max_symbols);
    for (const PlanOperand& input : step.inputs)
      if (input.kind == PlanOperand::Kind::arena && uses_left_.at(input.name) == 1) bytes -= bytes_of(input.type.tensor, plan_.max_symbols);
    return bytes;
  }

  ExecutionPlan& plan_;
  std::vector<size_t> waits_;
  std::vector<std::vector<size_t>> users_;
  std::map<std::string, int> uses_left_;
};

}  // namespace

int schedule_steps(ExecutionPlan& plan) {
  return Scheduler(plan).run();
}

}  // namespace hyalite
