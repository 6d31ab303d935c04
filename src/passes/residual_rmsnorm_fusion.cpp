// add and the rms_norm of the sum become fused_residual_rmsnorm, which reads and writes the residual stream once; where the added block has
// a norm of its own (Gemma), that one joins too. Norms that rmsnorm-qkv-rope-fusion took in are gone by now, and their sums stay as they
// are.
#include "passes/pass.h"
#include "passes/patterns.h"

namespace hyalite {
namespace {

// A norm of one addend that can join: it spans the columns, has the same eps, and only the sum reads it.
NodeId post_norm(const Rewriter& rw, NodeId add, ValueId addend, double eps) {
  const Graph& graph = rw.graph();
  NodeId norm = rw.producer(addend, "rms_norm");
  if (norm == kNone || rw.only_user(addend) != add) return kNone;
  const Node& node = graph.node(norm);
  return node.attrs.real("eps") == eps && spans_columns(graph, node.operands[0], node.operands[1]) ? norm : kNone;
}

void fuse(Rewriter& rw, NodeId norm) {
  const Graph& graph = rw.graph();
  const Node& node = graph.node(norm);
  NodeId add = rw.producer(node.operands[0], "add");
  if (add == kNone) return;
  ValueId x = graph.node(add).operands[0], y = graph.node(add).operands[1];
  if (rank_of(graph, y) != 2) return rw.refused(norm, "the input is a biased projection, not a residual sum");
  if (!spans_columns(graph, node.operands[0], node.operands[1])) return rw.refused(norm, "the norm does not span the sum's columns");
  std::vector<NodeId> nodes{add, norm};
  ValueId post_weight = kNone;
  if (NodeId post = post_norm(rw, add, y, node.attrs.real("eps")); post != kNone) {
    nodes.push_back(post);
    y = graph.node(post).operands[0];
    post_weight = graph.node(post).operands[1];
  }
  std::vector<ValueId> operands{x, y, post_weight, node.operands[1]}, results{graph.result(add), node.results[0]};
  if (!rw.can_replace(nodes, operands, results)) return rw.refused(norm, "the sum is used before the norm's weight is there");
  rw.matched(norm, post_weight == kNone ? "sum and norm are one step" : "post norm, sum and norm are one step");
  rw.replace(nodes, *find_op("fused_residual_rmsnorm"), operands, {{"eps", node.attrs.real("eps")}}, results, node.from.path);
}

void run(Rewriter& rw, const PassContext&) {
  for (NodeId id : nodes_named(rw.graph(), "rms_norm")) fuse(rw, id);
  for (NodeId id : nodes_named(rw.graph(), "rms_norm"))  // not the post norms that have joined a sum meanwhile
    if (rw.producer(rw.graph().node(id).operands[0], "add") == kNone) rw.refused(id, "the input is not a sum");
}

}  // namespace

extern const Pass pass_residual_rmsnorm_fusion;
const Pass pass_residual_rmsnorm_fusion{
    .name = "residual-rmsnorm-fusion", .summary = "Joins a residual sum with the norm of it.", .run = run, .fusion = true};

}  // namespace hyalite
