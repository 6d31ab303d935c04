// Three projections of one value, found from the attention that takes them, become one fused_qkv: one pass over the input for three
// weights.
#include "passes/pass.h"
#include "passes/patterns.h"

namespace hyalite {
namespace {

// matmul, or add(matmul, bias).
struct Projection {
  NodeId matmul = kNone, add = kNone;
  ValueId input = kNone, weight = kNone, bias = kNone, output = kNone;
};

// The projection behind an attention operand, past rotation and per-head norm. `matmul` is kNone where there is none.
Projection projection_behind(const Rewriter& rw, ValueId value) {
  for (std::string_view op : {"rope", "rms_norm"})
    if (NodeId node = rw.producer(value, op); node != kNone) value = rw.graph().node(node).operands[0];
  Projection found{.output = value};
  if (NodeId add = rw.producer(value, "add"); add != kNone && rank_of(rw.graph(), rw.graph().node(add).operands[1]) == 1) {
    found.add = add;
    found.bias = rw.graph().node(add).operands[1];
    value = rw.graph().node(add).operands[0];
  }
  found.matmul = rw.producer(value, "matmul");
  if (found.matmul == kNone) return found;
  found.input = rw.graph().node(found.matmul).operands[0];
  found.weight = rw.graph().node(found.matmul).operands[1];
  return found;
}

void fuse(Rewriter& rw, NodeId attention) {
  const Node& node = rw.graph().node(attention);
  Projection part[3];
  for (int i = 0; i < 3; ++i) part[i] = projection_behind(rw, node.operands[i]);
  auto is = [](NodeId none) { return [none](const Projection& p) { return p.matmul == none; }; };
  if (std::ranges::all_of(part, is(kNone))) return;  // fused already, or another kind of attention
  if (std::ranges::any_of(part, is(kNone))) return rw.refused(attention, "q, k and v are not all projections");
  if (part[0].input != part[1].input || part[0].input != part[2].input) return rw.refused(attention, "q, k and v project different values");
  std::vector<NodeId> nodes;
  std::vector<ValueId> operands{part[0].input, part[0].weight, part[1].weight, part[2].weight}, results;
  for (const Projection& p : part) {
    if (std::ranges::find(nodes, p.matmul) != nodes.end()) return rw.refused(attention, "two of q, k and v are one projection");
    nodes.push_back(p.matmul);
    if (p.add != kNone) nodes.push_back(p.add);
    operands.push_back(p.bias);
    results.push_back(p.output);
  }
  if (!rw.can_replace(nodes, operands, results))
    return rw.refused(attention, "a projection is used before the last weight, or without its bias");
  rw.matched(attention, "q, k and v read %" + rw.graph().value(operands[0]).name + " once");
  rw.replace(nodes, *find_op("fused_qkv"), operands, {}, results, node.from.path + ".qkv");
}

void run(Rewriter& rw, const PassContext&) {
  for (NodeId id : nodes_named(rw.graph(), "grouped_query_attention")) fuse(rw, id);
}

}  // namespace

extern const Pass pass_qkv_fusion;
const Pass pass_qkv_fusion{.name = "qkv-fusion", .summary = "Joins the q, k and v projections of one input.", .run = run, .fusion = true};

}  // namespace hyalite
