#include "passes/pass.h"

namespace hyalite {
namespace {

void run(Rewriter& rw, const PassContext&) {
  int typed = 0;
  for (NodeId id : rw.graph().order()) {
    auto unknown = [&](ValueId value) { return rw.graph().value(value).type == ValueType::unknown(); };
    const std::vector<ValueId>& results = rw.graph().node(id).results;
    if (std::ranges::none_of(results, unknown)) continue;
    rw.infer(id);
    if (std::ranges::any_of(results, unknown))
      rw.refused(id, "the type of an operand is unknown");
    else
      ++typed;
  }
  if (typed) rw.note("nodes whose results were typed: " + std::to_string(typed));
}

}  // namespace

extern const Pass pass_shape_inference;
const Pass pass_shape_inference{"shape-inference", "Gives every value the type that its operands and attributes imply.", run};

}  // namespace hyalite
