#include <map>
#include <unordered_map>

#include "base/error.h"
#include "plan/plan_check.h"

namespace hyalite {
namespace {

// Walks a plan's activations: who makes each, who reads it last, and what lies beside it meanwhile. Time n log n in their number.
class Lifetimes {
 public:
  Lifetimes(const ExecutionPlan& plan, const std::string& where) : plan_(plan), where_(where) {}

  void check() {
    for (size_t i = 0; i < plan_.steps.size(); ++i) {
      const PlanStep& step = plan_.steps[i];
      for (const PlanOperand& input : step.inputs) note_read(input, step.path, i);
      for (const PlanOperand& output : step.outputs) note_made(output, step.path, i);
    }
    note_read(plan_.logits, "logits", plan_.steps.size());
    for (size_t i = 0; i < plan_.steps.size(); ++i) pass_step(i);
  }

 private:
  struct Life {
    const PlanOperand* made;
    size_t last;  // step that reads it last, or makes it
  };

  [[noreturn]] void fail(const std::string& path, const std::string& message) const {
    throw Error(ErrorCode::invalid_model, where_, "step " + path + ": " + message);
  }

  void note_made(const PlanOperand& output, const std::string& path, size_t step) {
    if (output.kind != PlanOperand::Kind::arena) return;
    if (!lives_.emplace(output.name, Life{&output, step}).second) fail(path, "makes " + output.name + ", which an earlier step made");
  }

  void note_read(const PlanOperand& input, const std::string& path, size_t step) {
    if (input.kind != PlanOperand::Kind::arena) return;
    auto life = lives_.find(input.name);
    if (life == lives_.end()) fail(path, "reads " + input.name + ", which no step before it makes");
    const PlanOperand& made = *life->second.made;
    if (made.offset != input.offset || made.type != input.type) fail(path, "reads " + input.name + " elsewhere than where it was made");
    life->second.last = step;
  }

  void pass_step(size_t i) {
    const PlanStep& step = plan_.steps[i];
    for (const PlanOperand& output : step.outputs)
      if (output.kind == PlanOperand::Kind::arena) occupy(output, step.path);
    for (const PlanOperand& output : step.outputs) leave_after(output, i);
    for (const PlanOperand& input : step.inputs) leave_after(input, i);
  }

  void occupy(const PlanOperand& output, const std::string& path) {
    const int64_t end = output.offset + bytes_of(output.type.tensor, plan_.max_symbols);
    auto next = alive_.lower_bound(output.offset);
    if (next != alive_.end() && next->first < end) fail(path, "puts " + output.name + " where " + next->second.made->name + " still lies");
    if (next != alive_.begin())
      if (const Alive& before = std::prev(next)->second; before.end > output.offset)
        fail(path, "puts " + output.name + " where " + before.made->name + " still lies");
    alive_[output.offset] = {end, &output};
  }

  void leave_after(const PlanOperand& operand, size_t step) {
    if (operand.kind == PlanOperand::Kind::arena && lives_.at(operand.name).last == step) alive_.erase(operand.offset);
  }

  struct Alive {
    int64_t end;
    const PlanOperand* made;
  };

  const ExecutionPlan& plan_;
  const std::string& where_;
  std::unordered_map<std::string_view, Life> lives_;
  std::map<int64_t, Alive> alive_;  // by offset
};

}  // namespace

void check_lifetimes(const ExecutionPlan& plan, const std::string& where) {
  Lifetimes(plan, where).check();
}

}  // namespace hyalite
