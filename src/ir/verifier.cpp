#include "ir/verifier.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/error.h"
#include "ir/inference.h"
#include "ir/printer.h"
#include "ops/schema.h"
#include "ops/type_rules.h"

namespace hyalite {
namespace {

// State of one walk over a graph in execution order. One method a rule.
class Verifier {
 public:
  explicit Verifier(const Graph& graph) : graph_(graph), defined_(graph.value_count()), written_by_(graph.value_count(), kNone) {}

  void run() {
    for (size_t i = 0; i < graph_.inputs().size(); ++i) check_input(i);
    for (NodeId id : graph_.order()) check_node(id);
    for (ValueId value : graph_.outputs()) check_output(value);
  }

 private:
  // Called only where a rule is broken: every rule is checked after every pass, and messages cost more than checks.
  [[noreturn]] void fail(const std::string& where, const std::string& message) const {
    throw Error(ErrorCode::invalid_model, where, message);
  }
  std::string text(ValueId value) const { return "%" + graph_.value(value).name; }

  bool usable(ValueId value) const { return value >= 0 && value < graph_.value_count() && defined_[value]; }

  void define(ValueId value, NodeId producer, size_t index, const std::string& where) {
    if (value < 0 || value >= graph_.value_count()) fail(where, "a result is no value of the graph");
    const Value& v = graph_.value(value);
    if (defined_[value] || v.producer != producer || v.result_index != static_cast<int32_t>(index))
      fail(where, "%" + v.name + " is not the value that its producer makes");
    if (v.name.empty() || !names_.insert(v.name).second) fail(where, "the name %" + v.name + " is not unique");
    check_type(v.type, where + ": %" + v.name);
    defined_[value] = true;
  }

  void check_input(size_t index) {
    const std::string where = "graph @" + graph_.name() + ", inputs";
    const ValueId value = graph_.inputs()[index];
    define(value, kNone, index, where);
    if (graph_.value(value).type == ValueType::unknown()) fail(where, text(value) + " has no known type");
  }

  void check_output(ValueId value) const {
    const std::string where = "graph @" + graph_.name() + ", return";
    if (!usable(value)) fail(where, "an output is no value of the graph");
    if (written_by_[value] != kNone) fail(where, used_after_write(value));
  }

  void check_node(NodeId id) {
    // Made here only where a rule is broken: a place costs a search.
    try {
      const Node& node = graph_.node(id);
      if (!node.op) fail("", "has no op");
      check_operands(node);
      check_attrs(*node.op, node.attrs);
      mark_written(id);
      if (node.results.size() != node.op->results.size()) fail("", "has " + std::to_string(node.results.size()) + " results");
      for (size_t i = 0; i < node.results.size(); ++i) define(node.results[i], id, i, "");
    } catch (const Error& error) {
      throw Error(ErrorCode::invalid_model, place_of(graph_, id), error.where() + (error.where().empty() ? "" : " ") + error.message());
    }
    check_types(id);
  }

  void check_operands(const Node& node) const {
    const size_t wanted = node.op->operands.size();
    if (node.operands.size() != wanted)
      fail("", "takes " + std::to_string(wanted) + " operands, has " + std::to_string(node.operands.size()));
    for (size_t i = 0; i < wanted; ++i) {
      const OperandSpec& spec = node.op->operands[i];
      const ValueId value = node.operands[i];
      const auto operand = [&] { return std::string("operand ") + spec.name; };
      if (value == kNone && !spec.optional) fail(operand(), "is missing");
      if (value == kNone) continue;
      if (!usable(value)) fail(operand(), "is not defined before it is used");
      const ValueType& type = graph_.value(value).type;
      if (type.kind != spec.kind && type.kind != ValueType::Kind::unknown)
        fail(operand(), text(value) + " is of the wrong kind, " + print(type));
      if (written_by_[value] != kNone) fail(operand(), used_after_write(value));
    }
  }

  void check_types(NodeId id) const {
    const Node& node = graph_.node(id);
    const auto types = inferred_types(graph_, id);
    for (size_t i = 0; i < node.results.size(); ++i) {
      const Value& result = graph_.value(node.results[i]);
      if (result.type == ValueType::unknown()) {
        if (!node.op->infer) throw Error(ErrorCode::invalid_model, place_of(graph_, id), "%" + result.name + " needs a written type");
        continue;
      }
      const bool kind_fits = result.type.kind == node.op->results[i].kind;
      if (!kind_fits || (types && result.type != (*types)[i]))
        throw Error(
            ErrorCode::invalid_model, place_of(graph_, id),
            "%" + result.name + " is " + print(result.type) + (types ? ", but the op makes " + print((*types)[i]) : ", the wrong kind"));
    }
  }

  std::string used_after_write(ValueId value) const {
    const Node& writer = graph_.node(written_by_[value]);
    return text(value) + " is used after %" + graph_.value(writer.results[0]).name + " has written to it";
  }

  // A node with a cache result writes to its cache operand, and appends the step's tokens to its layer: a second time would overwrite them.
  void mark_written(NodeId id) {
    const Node& node = graph_.node(id);
    if (std::ranges::none_of(node.op->results, [](const OperandSpec& result) { return result.kind == kCache; })) return;
    for (size_t i = 0; i < node.operands.size(); ++i)
      if (node.op->operands[i].kind == kCache && node.operands[i] != kNone) written_by_[node.operands[i]] = id;
    const int64_t layer = node.attrs.integer("layer");
    if (const auto [first, is_first] = appended_by_.emplace(layer, id); !is_first)
      fail("", "appends to the cache of layer " + std::to_string(layer) + ", as %" +
                   graph_.value(graph_.node(first->second).results[0]).name + " did");
  }

  const Graph& graph_;
  std::vector<bool> defined_;
  std::vector<NodeId> written_by_;
  std::unordered_map<int64_t, NodeId> appended_by_;  // layer to the node that appends to its cache
  std::unordered_set<std::string_view> names_;
};

}  // namespace

void verify(const Graph& graph) {
  Verifier(graph).run();
}

void verify(const Module& module) {
  for (const Graph& graph : module.graphs) {
    if (module.find(graph.name()) != &graph) throw Error(ErrorCode::invalid_model, "graph @" + graph.name(), "is there twice");
    verify(graph);
  }
}

}  // namespace hyalite
