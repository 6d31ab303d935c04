// rms_norm, fused_qkv, the norms over the heads of q and k where there are any, and both rotations become one node: q and k leave their
// projection normalised and rotated, without a trip to memory.
#include "passes/pass.h"
#include "passes/patterns.h"

namespace hyalite {
namespace {

// What follows a projection on its way to attention.
struct Tail {
  NodeId norm = kNone, rope = kNone;
};

Tail tail_of(const Rewriter& rw, ValueId value) {
  Tail tail;
  auto next = [&](std::string_view op) {
    NodeId user = rw.only_user(value);
    if (user == kNone || rw.graph().node(user).op->name != op || rw.graph().node(user).operands[0] != value) return kNone;
    value = rw.graph().node(user).results[0];
    return user;
  };
  tail.norm = next("rms_norm");
  tail.rope = next("rope");
  return tail;
}

// Why the parts do not fit; empty where they do.
std::string misfit(const Rewriter& rw, NodeId qkv, NodeId norm, const Tail& q, const Tail& k) {
  const Graph& graph = rw.graph();
  if (norm == kNone) return "the input is not an rms_norm";
  if (rw.only_user(graph.result(norm)) != qkv) return "the norm is used elsewhere too";
  if (!spans_columns(graph, graph.node(norm).operands[0], graph.node(norm).operands[1]))
    return "the norm does not span its input's columns";
  if (q.rope == kNone || k.rope == kNone) return "q and k do not both go through rope and nothing else";
  const Node &a = graph.node(q.rope), &b = graph.node(k.rope);
  if (a.attrs != b.attrs || a.operands[1] != b.operands[1] || a.operands[2] != b.operands[2]) return "q and k rotate differently";
  for (NodeId head_norm : {q.norm, k.norm}) {
    if (head_norm == kNone) continue;
    const Node& node = graph.node(head_norm);
    if (node.attrs.real("eps") != graph.node(norm).attrs.real("eps")) return "the norms differ in eps";
    if (length_of(graph, node.operands[1]) != a.attrs.integer("head_dim")) return "a norm of q or k is not one of heads";
  }
  return {};
}

void fuse(Rewriter& rw, NodeId qkv) {
  const Graph& graph = rw.graph();
  const Node& node = graph.node(qkv);
  NodeId norm = rw.producer(node.operands[0], "rms_norm");
  Tail q = tail_of(rw, node.results[0]), k = tail_of(rw, node.results[1]);
  if (std::string why = misfit(rw, qkv, norm, q, k); !why.empty()) return rw.refused(qkv, why);
  std::vector<NodeId> nodes{norm, qkv, q.rope, k.rope};
  std::vector<ValueId> operands{graph.node(norm).operands[0], graph.node(norm).operands[1]};
  operands.insert(operands.end(), node.operands.begin() + 1, node.operands.end());  // wq, wk, wv, bq, bk, bv
  for (NodeId head_norm : {q.norm, k.norm}) {
    operands.push_back(head_norm == kNone ? kNone : graph.node(head_norm).operands[1]);
    if (head_norm != kNone) nodes.push_back(head_norm);
  }
  const Node& rope = graph.node(q.rope);
  operands.insert(operands.end(), rope.operands.begin() + 1, rope.operands.end());  // frequencies, batch
  std::vector<ValueId> results{graph.result(q.rope), graph.result(k.rope), node.results[2]};
  if (!rw.can_replace(nodes, operands, results)) return rw.refused(qkv, "v is used before k is rotated");
  Attrs attrs = rope.attrs;
  attrs.set("eps", graph.node(norm).attrs.real("eps"));
  rw.matched(qkv,
             q.norm == kNone ? "norm, projections and rotation are one step" : "norm, projections, head norms and rotation are one step");
  rw.replace(nodes, *find_op("fused_rmsnorm_qkv_rope"), operands, attrs, results, node.from.path);
}

void run(Rewriter& rw, const PassContext&) {
  for (NodeId id : nodes_named(rw.graph(), "fused_qkv")) fuse(rw, id);
}

}  // namespace

extern const Pass pass_rmsnorm_qkv_rope_fusion;
const Pass pass_rmsnorm_qkv_rope_fusion{.name = "rmsnorm-qkv-rope-fusion",
                                        .summary = "Joins the norm before and the rotation after fused_qkv with it.",
                                        .run = run,
                                        .fusion = true};

}  // namespace hyalite
