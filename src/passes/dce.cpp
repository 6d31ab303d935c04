#include <ranges>

#include "passes/pass.h"

namespace hyalite {
namespace {

void run(Rewriter& rw, const PassContext&) {
  const std::vector<NodeId> order = rw.graph().order();
  for (const NodeId id : std::views::reverse(order)) {
    const std::vector<ValueId>& results = rw.graph().node(id).results;
    if (std::ranges::any_of(results, [&](ValueId value) { return !rw.users(value).empty() || rw.graph().is_output(value); })) continue;
    rw.matched(id, "%" + rw.graph().value(results[0]).name + " is not used");
    rw.erase(id);
  }
}

}  // namespace

extern const Pass pass_dce;
const Pass pass_dce{"dce", "Removes nodes whose results nobody reads.", run};

}  // namespace hyalite
