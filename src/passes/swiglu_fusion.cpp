// mul(act(x Wg^T), x Wu^T) becomes fused_glu: gate and up are read side by side and never stored apart. act is silu (SwiGLU) or gelu_tanh
// (GeGLU).
#include "passes/pass.h"
#include "passes/patterns.h"

namespace hyalite {
namespace {

NodeId activation_behind(const Rewriter& rw, ValueId value) {
  NodeId silu = rw.producer(value, "silu");
  return silu != kNone ? silu : rw.producer(value, "gelu_tanh");
}

void fuse(Rewriter& rw, NodeId mul) {
  const Graph& graph = rw.graph();
  const Node& node = graph.node(mul);
  int side = activation_behind(rw, node.operands[0]) != kNone ? 0 : 1;
  NodeId act = activation_behind(rw, node.operands[side]);
  if (act == kNone) return;
  NodeId gate = rw.producer(graph.node(act).operands[0], "matmul"), up = rw.producer(node.operands[1 - side], "matmul");
  if (gate == kNone || up == kNone) return rw.refused(mul, "gate and up are not both projections");
  if (gate == up) return rw.refused(mul, "gate and up are one projection");
  ValueId input = graph.node(gate).operands[0];
  if (input != graph.node(up).operands[0]) return rw.refused(mul, "gate and up project different values");
  std::vector<NodeId> nodes{gate, act, up, mul};
  std::vector<ValueId> operands{input, graph.node(gate).operands[1], graph.node(up).operands[1]};
  if (!rw.can_replace(nodes, operands, {node.results[0]})) return rw.refused(mul, "gate or up is used elsewhere too");
  std::string activation(graph.node(act).op->name);
  rw.matched(mul, activation + " gate and up are one step");
  rw.replace(nodes, *find_op("fused_glu"), operands, {{"activation", activation}}, {node.results[0]}, node.from.path);
}

void run(Rewriter& rw, const PassContext&) {
  for (NodeId id : nodes_named(rw.graph(), "mul")) fuse(rw, id);
}

}  // namespace

extern const Pass pass_swiglu_fusion;
const Pass pass_swiglu_fusion{.name = "swiglu-fusion",
                              .summary = "Joins the gate and up projections of a gated MLP with its activation.",
                              .run = run,
                              .fusion = true};

}  // namespace hyalite
