// A graph for Graphviz: runs of equal layers are one cluster, drawn once; weights stand in the node that reads them;
// the batch, which most nodes read, is left out.
#pragma once

#include <string>

#include "ir/graph.h"

namespace hyalite {

std::string to_dot(const Graph& graph);

}  // namespace hyalite
