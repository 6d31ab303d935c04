// The layers of a graph and runs of equal ones, so that a picture shows "x 30" instead of thirty copies.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"

namespace hyalite {

// "blk.3.attn.q" -> 3; -1 for a path outside layers.
int layer_of(std::string_view path);

// "blk.3.attn.q" -> "blk.*.attn.q": what the same place is called in every layer.
std::string path_in_any_layer(std::string_view path);

// A stretch of the graph in execution order. Bodies are equal in structure: op by op, with the same edges inside the body; attributes and
// types may differ (a sliding window here, another weight format there). Weights and constants belong to the body that uses them first.
struct Segment {
  int first_layer = -1, last_layer = -1;  // -1: outside layers, one body
  int layers_per_body = 1;                // more than one where layers of several kinds take turns
  std::vector<std::vector<NodeId>> bodies;
};

// Every node of the graph once, in segments whose bodies follow each other.
std::vector<Segment> fold_layers(const Graph& graph);

bool is_source(const Node& node);  // weight or constant: no work of its own

}  // namespace hyalite
