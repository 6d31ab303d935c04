// The step that makes k and v writes them to the cache itself, where nothing but the append of the layer wants them: no buffers for k and
// v, and no step of its own, with a barrier, for a few kilobytes of a decoded token.
#include "passes/pass.h"
#include "passes/patterns.h"

namespace hyalite {
namespace {

enum AppendOperand { kKv, kK, kV };
enum QkvResult { kQ, kKeys, kValues };

// The fused node whose k and v the append takes; kNone where they come from elsewhere.
NodeId source_of(const Rewriter& rw, const Node& append) {
  const NodeId qkv = rw.producer(append.operands[kK], "fused_rmsnorm_qkv_rope");
  if (qkv == kNone) return kNone;
  const std::vector<ValueId>& results = rw.graph().node(qkv).results;
  return append.operands[kK] == results[kKeys] && append.operands[kV] == results[kValues] ? qkv : kNone;
}

// Why the parts do not fit; empty where they do.
std::string misfit(const Rewriter& rw, NodeId append, NodeId qkv) {
  if (qkv == kNone) return "k and v are not those of one fused_rmsnorm_qkv_rope";
  const Graph& graph = rw.graph();
  const Node &to = graph.node(append), &from = graph.node(qkv);
  for (ValueId value : {to.operands[kK], to.operands[kV]})
    if (rw.only_user(value) != append) return "k or v is used elsewhere too";
  if (to.operands.back() != from.operands.back()) return "it appends for another batch";
  if (to.attrs.integer("head_dim") != from.attrs.integer("head_dim")) return "the cache has other heads than those that rotate";
  // Then the cache is written where it was: whoever uses q comes after that.
  const std::vector<NodeId>& users = rw.users(from.results[kQ]);
  const auto sees_append = [&](NodeId user) { return std::ranges::count(graph.node(user).operands, graph.result(append)) > 0; };
  return std::ranges::all_of(users, sees_append) ? "" : "q is used by what does not see the cache with k and v";
}

void fuse(Rewriter& rw, NodeId append) {
  const Graph& graph = rw.graph();
  const Node& node = graph.node(append);
  const NodeId qkv = source_of(rw, node);
  if (std::string why = misfit(rw, append, qkv); !why.empty()) return rw.refused(append, why);
  const Node& from = graph.node(qkv);
  std::vector<ValueId> operands = from.operands;
  operands.push_back(node.operands[kKv]);
  Attrs attrs = from.attrs;
  for (const char* name : {"layer", "kv_heads"}) attrs.set(name, node.attrs.integer(name));
  rw.matched(append, "k and v go to the cache without a step of their own");
  rw.replace({qkv, append}, *find_op("fused_rmsnorm_qkv_rope_append"), operands, attrs, {from.results[kQ], node.results[0]},
             from.from.path);
}

void run(Rewriter& rw, const PassContext&) {
  for (NodeId id : nodes_named(rw.graph(), "cache_append")) fuse(rw, id);
}

}  // namespace

extern const Pass pass_cache_append_fusion;
const Pass pass_cache_append_fusion{.name = "cache-append-fusion",
                                    .summary = "Joins the append to the cache with the step that makes k and v.",
                                    .run = run,
                                    .fusion = true};

}  // namespace hyalite
