// A graph in the JSON form that ai-edge-model-explorer opens: a collection {label, graphs[{id, nodes[{id, label, namespace, attrs,
// incomingEdges, outputsMetadata}]}]} (its graph_builder.py and its web app's reader define the fields).
#pragma once

#include <string>

#include "base/json.h"
#include "ir/graph.h"

namespace hyalite {

// `schedule` is the plan's JSON; a node whose first result a step writes gets the step's variant, reason and predicted cost. Namespaces
// follow the module path ("blk.3.attn.q" is blk/3/attn), so layers fold.
Json to_model_explorer(const Graph& graph, const Json& schedule, const std::string& label);

}  // namespace hyalite
