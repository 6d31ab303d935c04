// CacheIR graphs: SSA values and nodes in one arena with dense ids, in execution order.
//
//   Graph g("decode");
//   ValueId ids = g.add_input("ids", ValueType::of({DType::i32, {Dim::tokens()}}));
//   NodeId n = g.append(*find_op("embed"), {ids, table}, {}, {"x0"}, {.path = "token_embd"});
//
// A graph is plain data: copyable, comparable, owned by one thread at a time. After construction only Rewriter (passes/) changes it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ops/op_spec.h"

namespace hyalite {

using ValueId = int32_t;
using NodeId = int32_t;
inline constexpr int32_t kNone = -1;  // an absent optional operand; the producer of a graph input

struct Value {
  std::string name;  // unique in the graph, without %
  ValueType type;
  NodeId producer = kNone;
  int32_t result_index = 0;
  bool operator==(const Value&) const = default;
};

// Where a node comes from. Printed and parsed, so that it survives every pass and every dump.
struct Provenance {
  std::string path;                  // module path in the model: "blk.3.attn.q"
  std::string pass;                  // the pass that made it; empty for the model builder
  std::vector<std::string> parents;  // paths of the nodes it replaced
  bool operator==(const Provenance&) const = default;
};

struct Node {
  const OpSpec* op = nullptr;
  std::vector<ValueId> operands;  // kNone for an absent optional
  std::vector<ValueId> results;
  Attrs attrs;
  Provenance from;
  bool operator==(const Node&) const = default;
};

class Graph {
 public:
  Graph() = default;
  explicit Graph(std::string name) : name_(std::move(name)) {}

  const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }

  ValueId add_input(const std::string& name, ValueType type);
  // Appends a node whose results have the given names (made unique by a suffix) and unknown type, or `types` where given.
  NodeId append(const OpSpec& op, std::vector<ValueId> operands, Attrs attrs, std::vector<std::string> result_names, Provenance from,
                std::vector<ValueType> types = {});
  // The same, but in front of `anchor` in the execution order.
  NodeId insert_before(NodeId anchor, const OpSpec& op, std::vector<ValueId> operands, Attrs attrs, std::vector<std::string> result_names,
                       Provenance from, std::vector<ValueType> types = {});
  void set_outputs(std::vector<ValueId> outputs) { outputs_ = std::move(outputs); }

  const std::vector<NodeId>& order() const { return order_; }  // live nodes, in execution order
  const std::vector<ValueId>& inputs() const { return inputs_; }
  const std::vector<ValueId>& outputs() const { return outputs_; }
  const Node& node(NodeId id) const { return nodes_.at(id); }
  Node& node(NodeId id) { return nodes_.at(id); }
  const Value& value(ValueId id) const { return values_.at(id); }
  Value& value(ValueId id) { return values_.at(id); }                           // to set the type; names change through rename()
  int32_t value_count() const { return static_cast<int32_t>(values_.size()); }  // ids of removed values stay allotted
  int32_t node_count() const { return static_cast<int32_t>(order_.size()); }

  ValueId result(NodeId id, int index = 0) const { return node(id).results.at(index); }
  ValueId find_value(std::string_view name) const;    // kNone where there is none
  std::vector<NodeId> users_of(ValueId value) const;  // in execution order; a node once even if it uses the value twice
  bool is_output(ValueId value) const;
  std::string unique_name(std::string_view wish) const;
  void rename(ValueId id, std::string_view wish);  // to unique_name(wish)

  // Redirects every use of `from` (operands and outputs) to `to`.
  void replace_uses(ValueId from, ValueId to);
  // Removes a node; REQUIRES: none of its results is used.
  void erase(NodeId id);

 private:
  NodeId make(const OpSpec& op, std::vector<ValueId> operands, Attrs attrs, std::vector<std::string> result_names, Provenance from,
              std::vector<ValueType> types);

  // Lets the index be searched by string_view.
  struct NameHash {
    using is_transparent = void;
    size_t operator()(std::string_view name) const { return std::hash<std::string_view>{}(name); }
  };
  ValueId add_value(std::string_view wish, ValueType type, NodeId producer, size_t result_index);

  std::string name_;
  std::vector<Node> nodes_;
  std::vector<Value> values_;
  std::vector<NodeId> order_;
  std::vector<ValueId> inputs_, outputs_;
  std::unordered_map<std::string, ValueId, NameHash, std::equal_to<>> by_name_;  // live values
};

// Equal text is equal graph: compares names, types, nodes in order, attributes and provenance, but not arena ids.
bool operator==(const Graph& a, const Graph& b);

// The graphs of one model at one stage: a single logical graph named "model" before prefill/decode specialisation, @prefill and @decode
// after.
struct Module {
  std::string stage;  // the last pass that ran; empty straight from the builder
  std::vector<Graph> graphs;
  const Graph* find(std::string_view name) const;  // nullptr where there is none
  bool operator==(const Module&) const = default;
};

}  // namespace hyalite
