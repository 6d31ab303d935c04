// Proves a graph well-formed. The pass manager calls it after every pass, and on everything that was read from text.
#pragma once

#include "ir/graph.h"

namespace hyalite {

// Throws Error{invalid_model}, naming graph, node and rule, at the first rule that does not hold:
//  - names: values are named, and no two alike; inputs have known types
//  - order: every operand is a graph input or the result of an earlier node, and values know who makes them
//  - operands: as many as the op takes, none missing that is not optional, tensors, batches and caches where the op wants them
//  - attributes: all in the op's schema, each once, none missing, of the right type and finite
//  - types: what is known of a result's type is what the op infers; dims positive, whole blocks
//  - state: a cache value that a node has written to is not used again (its successor is), so that order of state is order of nodes
//  - outputs: inputs or results of live nodes
void verify(const Graph& graph);
// Each graph, and that no two have one name.
void verify(const Module& module);

}  // namespace hyalite
