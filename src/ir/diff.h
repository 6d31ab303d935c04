// What changed between two texts, and between two graphs.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"

namespace hyalite {

// Unified diff with three lines of context: "--- before NAME", "+++ after NAME", then hunks "@@ -line,count +line,count @@". Empty where
// the texts are equal. Shortest edit script between lines that are unique in both texts and stay in order; where a stretch needs more than
// about a thousand edits it is replaced as a whole, so that time stays near linear.
std::string unified_diff(std::string_view before, std::string_view after, std::string_view name = {});

// One node that two graphs do not share. Nodes are the same node where their first results have one name.
struct NodeChange {
  enum class Kind : uint8_t { added, removed, changed };
  Kind kind = Kind::changed;
  std::string value;                 // name of the first result
  std::string path;                  // module path, from provenance
  std::string op_before, op_after;   // empty where the node is not there
  std::string before, after;         // the node as text
  std::vector<std::string> parents;  // added: paths of the nodes that it replaced
  bool operator==(const NodeChange&) const = default;
};

// In execution order of `before` for removed nodes, then of `after` for the others. Order alone is no change.
std::vector<NodeChange> structural_diff(const Graph& before, const Graph& after);

// How many nodes of one op a rewrite added, removed or changed.
struct OpChange {
  NodeChange::Kind kind = NodeChange::Kind::changed;
  std::string op;  // "matmul"; "matmul -> lm_head" where a node kept its name and became another op
  int count = 0;
  bool operator==(const OpChange&) const = default;
};
std::string_view name_of(NodeChange::Kind kind);  // "added", "removed", "changed"

// Sums `changes` up by kind and op: removed, then added, then changed, each in alphabetical order of ops.
std::vector<OpChange> count_by_op(std::span<const NodeChange> changes);

}  // namespace hyalite
