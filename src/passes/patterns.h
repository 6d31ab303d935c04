// What several passes ask of a graph.
#pragma once

#include <string_view>
#include <vector>

#include "passes/rewriter.h"

namespace hyalite {

// The nodes of one op, in execution order; a copy, so that the graph may be edited while it is walked.
std::vector<NodeId> nodes_named(const Graph& graph, std::string_view op);

// Rank of a tensor value; -1 where it is no tensor or its type is unknown.
int rank_of(const Graph& graph, ValueId value);

// Length of a vector value of constant size; -1 where it is none or its type is unknown.
int64_t length_of(const Graph& graph, ValueId value);

// Is w a norm weight over all columns of x (not over each head)? False where a type is unknown.
bool spans_columns(const Graph& graph, ValueId x, ValueId w);

// Does the op multiply by weights (and so carry `activations` and `hint`)?
bool is_linear(const OpSpec& op);

// Is the node the head: a matmul whose result, perhaps capped, leaves the graph?
bool makes_logits(const Rewriter& rw, NodeId node);

// The weight node behind a value, looking through convert; kNone where there is none.
NodeId weight_behind(const Graph& graph, ValueId value);

// Operand indices of the weight matrices that a linear node multiplies by.
std::vector<int> weight_operands(const Graph& graph, NodeId node);

}  // namespace hyalite
