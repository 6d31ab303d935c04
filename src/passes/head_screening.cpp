// The largest matrix of a small model is its head, and a greedy step needs one of its logits. Where the head's format has a coarse plane
// (packed layout planes16), the matmul that makes the logits becomes lm_head, which may leave out logits that are certainly not the
// largest.
#include "passes/pass.h"
#include "passes/patterns.h"

namespace hyalite {
namespace {

constexpr int64_t kFewRows = 1024;  // below it there is nothing to gain
constexpr int64_t kMostColumns = 8192;

ValueId batch_of(const Graph& graph) {
  for (ValueId id : graph.inputs())
    if (graph.value(id).type.kind == ValueType::Kind::batch) return id;
  return kNone;
}

void screen(Rewriter& rw, NodeId id, const Target& target) {
  const Graph& graph = rw.graph();
  const ValueId x = graph.node(id).operands[0], weight = graph.node(id).operands[1], batch = batch_of(graph);
  if (weight_behind(graph, weight) == kNone || batch == kNone) return rw.refused(id, "its matrix is no weight, or the graph has no batch");
  const TensorType& type = graph.value(weight).type.tensor;
  if (!std::ranges::count(target.screened, type.dtype))
    return rw.refused(id, std::string(format_of(type.dtype).name) + " has no coarse plane");
  if (type.dims[0].value() < kFewRows || type.dims[1].value() > kMostColumns)
    return rw.refused(id, to_string(type) + " has too few rows or too many columns");
  if (graph.node(id).attrs.text("activations", "f32") != "q8x2") return rw.refused(id, "its activations are not rounded twice");
  rw.matched(id, "rows that cannot have the largest logit are read in their coarse plane only, where nothing else is asked for");
  rw.replace({id}, *find_op("lm_head"), {x, weight, batch}, graph.node(id).attrs, {graph.result(id)}, graph.node(id).from.path);
}

void run(Rewriter& rw, const PassContext& context) {
  for (NodeId id : nodes_named(rw.graph(), "matmul"))
    if (makes_logits(rw, id)) screen(rw, id, context.target);
}

}  // namespace

extern const Pass pass_head_screening;
const Pass pass_head_screening{"head-screening", "Makes the head one that may read most of its rows coarsely.", run};

}  // namespace hyalite
