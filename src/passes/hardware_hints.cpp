// Tells the planner whether a linear op finds its weights in the last-level cache. Decode reads every weight once a step, so there the
// weights of the whole graph must fit together; in prefill an op reads its own weights once for each tile of tokens, so only they must fit.
#include "base/text_util.h"
#include "passes/pass.h"
#include "passes/patterns.h"

namespace hyalite {
namespace {

// Half: activations, cache pages and other cores want their share.
constexpr int64_t kShare = 2;

int64_t weight_bytes(const Graph& graph, NodeId id) {
  int64_t bytes = 0;
  for (int i : weight_operands(graph, id)) bytes += bytes_of(graph.value(graph.node(id).operands[i]).type.tensor, {});
  return bytes;
}

void run(Rewriter& rw, const PassContext& context) {
  const Graph& graph = rw.graph();
  std::vector<NodeId> linear;
  int64_t total = 0;
  for (NodeId id : graph.order())
    if (is_linear(*graph.node(id).op)) {
      linear.push_back(id);
      total += weight_bytes(graph, id);
    }
  int64_t share = context.target.last_level_cache_bytes / kShare;
  if (share == 0) return rw.note("no hints: the size of the last-level cache is unknown");
  bool together = graph.name() == "decode";
  rw.note(human_bytes(total) + " of weights a step, " + human_bytes(share) + " of last-level cache for them");
  for (NodeId id : linear) {
    int64_t bytes = together ? total : weight_bytes(graph, id);
    rw.set_attr(id, "hint", std::string(bytes > share ? "stream" : "resident"));
  }
}

}  // namespace

extern const Pass pass_hardware_hints;
const Pass pass_hardware_hints{"hardware-hints", "Says of each linear op whether its weights stay in the last-level cache.", run};

}  // namespace hyalite
