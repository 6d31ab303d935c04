// The type rule of an op applied to a node of a graph.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace hyalite {

// "graph @decode, node 12 (%q = matmul)": nodes count from 1 in execution order.
std::string place_of(const Graph& graph, NodeId id);

// What the op makes of the operands' types (`types[v]` is that of value v) and the attributes. Nothing where an operand's type is unknown,
// or where the op's type is written, not computed. Throws Error{invalid_model} with the node's place where they do not fit.
std::optional<std::vector<ValueType>> inferred_types(const Graph& graph, NodeId id, const std::vector<ValueType>& types);
// The same with the types that the graph's values have.
std::optional<std::vector<ValueType>> inferred_types(const Graph& graph, NodeId id);

}  // namespace hyalite
