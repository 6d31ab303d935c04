#include "passes/patterns.h"

#include <algorithm>

namespace hyalite {

std::vector<NodeId> nodes_named(const Graph& graph, std::string_view op) {
  std::vector<NodeId> nodes;
  for (NodeId id : graph.order())
    if (graph.node(id).op->name == op) nodes.push_back(id);
  return nodes;
}

int rank_of(const Graph& graph, ValueId value) {
  const ValueType& type = graph.value(value).type;
  return type.kind == ValueType::Kind::tensor ? type.tensor.rank() : -1;
}

int64_t length_of(const Graph& graph, ValueId value) {
  if (rank_of(graph, value) != 1) return -1;
  const Dim& dim = graph.value(value).type.tensor.dims[0];
  return dim.is_symbol() ? -1 : dim.value();
}

bool spans_columns(const Graph& graph, ValueId x, ValueId w) {
  return rank_of(graph, x) == 2 && rank_of(graph, w) == 1 &&
         graph.value(x).type.tensor.dims.back() == graph.value(w).type.tensor.dims.front();
}

bool is_linear(const OpSpec& op) {
  return std::ranges::any_of(op.attrs, [](const AttrSpec& attr) { return std::string_view(attr.name) == "activations"; });
}

bool makes_logits(const Rewriter& rw, NodeId node) {
  const Graph& graph = rw.graph();
  if (graph.node(node).op->name != "matmul") return false;
  ValueId result = graph.result(node);
  const NodeId user = rw.only_user(result);
  if (user != kNone && graph.node(user).op->name == "softcap") result = graph.result(user);
  return graph.is_output(result);
}

NodeId weight_behind(const Graph& graph, ValueId value) {
  NodeId id = value == kNone ? kNone : graph.value(value).producer;
  if (id != kNone && graph.node(id).op->name == "convert") id = graph.value(graph.node(id).operands[0]).producer;
  return id != kNone && graph.node(id).op->name == "weight" ? id : kNone;
}

std::vector<int> weight_operands(const Graph& graph, NodeId node) {
  std::vector<int> found;
  const std::vector<ValueId>& operands = graph.node(node).operands;
  for (size_t i = 0; i < operands.size(); ++i)
    if (weight_behind(graph, operands[i]) != kNone && rank_of(graph, operands[i]) == 2) found.push_back(static_cast<int>(i));
  return found;
}

}  // namespace hyalite
