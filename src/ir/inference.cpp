#include "ir/inference.h"

#include <algorithm>

#include "base/error.h"

namespace hyalite {
namespace {

template <class TypeOf>
std::optional<std::vector<ValueType>> infer(const Graph& graph, NodeId id, TypeOf type_of) {
  const Node& node = graph.node(id);
  if (!node.op->infer) return std::nullopt;
  std::vector<ValueType> operands;
  for (ValueId value : node.operands) {
    operands.push_back(value == kNone ? ValueType::unknown() : type_of(value));
    if (value != kNone && operands.back() == ValueType::unknown()) return std::nullopt;
  }
  try {
    return node.op->infer({.operands = operands, .attrs = &node.attrs});
  } catch (const Error& error) {
    throw Error(ErrorCode::invalid_model, place_of(graph, id), error.where() + " " + error.message());
  }
}

}  // namespace

std::string place_of(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  const auto index = std::ranges::find(graph.order(), id) - graph.order().begin() + 1;
  const bool named = !node.results.empty() && node.results[0] >= 0 && node.results[0] < graph.value_count();
  const std::string result = named ? "%" + graph.value(node.results[0]).name + " = " : "";
  return "graph @" + graph.name() + ", node " + std::to_string(index) + " (" + result + (node.op ? std::string(node.op->name) : "no op") +
         ")";
}

std::optional<std::vector<ValueType>> inferred_types(const Graph& graph, NodeId id, const std::vector<ValueType>& types) {
  return infer(graph, id, [&](ValueId value) -> const ValueType& { return types[value]; });
}

std::optional<std::vector<ValueType>> inferred_types(const Graph& graph, NodeId id) {
  return infer(graph, id, [&](ValueId value) -> const ValueType& { return graph.value(value).type; });
}

}  // namespace hyalite
