// The only way a pass edits a graph. Keeps the use lists that patterns need, carries names, types and provenance over to what replaces
// a node, and records remarks.
//
//   NodeId fused = rw.replace({norm, proj}, *find_op("..."), {x, w}, attrs, {rw.graph().result(proj)}, path);
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"

namespace hyalite {

// What a pass says about one place in the graph.
struct Remark {
  enum class Kind : uint8_t { matched, refused, note };
  Kind kind = Kind::note;
  std::string path;  // Provenance::path of the node it is about
  std::string text;
  bool operator==(const Remark&) const = default;
};

std::string_view name_of(Remark::Kind kind);  // "matched", "refused", "note"

// Edits one graph for one pass. The graph and the remarks outlive it; nobody else edits the graph meanwhile.
class Rewriter {
 public:
  Rewriter(Graph& graph, std::string_view pass, std::vector<Remark>& remarks);

  const Graph& graph() const { return graph_; }
  bool changed() const { return changed_; }

  const std::vector<NodeId>& users(ValueId value) const { return users_[value]; }  // each node once; unordered
  // The node that computes `value`, if it is the op named; kNone otherwise (and for kNone, inputs, other ops).
  NodeId producer(ValueId value, std::string_view op) const;
  // The only user of `value`, where there is exactly one and `value` is no output of the graph; kNone otherwise.
  NodeId only_user(ValueId value) const;

  // Could one node with these operands stand for `nodes`, giving `results`? Every operand must be computed before the first use of a result
  // outside `nodes`, and of the nodes' other results none may be used outside.
  bool can_replace(const std::vector<NodeId>& nodes, const std::vector<ValueId>& operands, const std::vector<ValueId>& results) const;
  // Replaces `nodes` by one new node whose i-th result takes the name, the uses and (where the op cannot infer one) the type of
  // results[i]; kNone gives a fresh result named after `path`. Provenance: `path`, this pass, the paths of `nodes` and of their own
  // parents'. REQUIRES: can_replace.
  NodeId replace(const std::vector<NodeId>& nodes, const OpSpec& op, std::vector<ValueId> operands, Attrs attrs,
                 const std::vector<ValueId>& results, std::string path);
  // A new node in front of `anchor` that replaces nothing by itself; `origins` are the nodes it is derived from.
  NodeId insert_before(NodeId anchor, const OpSpec& op, std::vector<ValueId> operands, Attrs attrs, std::vector<std::string> names,
                       const std::string& path, const std::vector<NodeId>& origins);
  // The name of a value that is about to be replaced, for the value that takes its place.
  std::string take_name(ValueId value);
  // Gives the node's results the types its op infers, where its operands' types are known. Throws Error{invalid_model} naming the node
  // where they do not fit.
  void infer(NodeId node);

  void set_attr(NodeId node, std::string_view name, AttrValue value);
  void set_type(ValueId value, ValueType type);
  void set_operand(NodeId node, int index, ValueId value);
  void replace_uses(ValueId from, ValueId to);
  void erase(NodeId node);  // REQUIRES: its results are unused

  void matched(NodeId node, std::string text);
  void refused(NodeId node, std::string text);
  void note(std::string text);  // about the whole graph

 private:
  void link(NodeId node);
  int32_t position(NodeId node) const;
  NodeId place_for(const std::vector<NodeId>& nodes, const std::vector<ValueId>& results) const;

  Graph& graph_;
  std::string pass_;
  std::vector<Remark>& remarks_;
  std::vector<std::vector<NodeId>> users_;  // by value
  mutable std::vector<int32_t> positions_;  // by node; empty: to be counted again
  bool changed_ = false;
};

}  // namespace hyalite
