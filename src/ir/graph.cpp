#include "ir/graph.h"

#include <algorithm>

#include "base/error.h"

namespace hyalite {

ValueId Graph::add_value(std::string_view wish, ValueType type, NodeId producer, size_t result_index) {
  const ValueId id = value_count();
  values_.push_back({unique_name(wish), std::move(type), producer, static_cast<int32_t>(result_index)});
  by_name_.emplace(values_.back().name, id);
  return id;
}

ValueId Graph::add_input(const std::string& name, ValueType type) {
  inputs_.push_back(add_value(name, std::move(type), kNone, inputs_.size()));
  return inputs_.back();
}

NodeId Graph::make(const OpSpec& op, std::vector<ValueId> operands, Attrs attrs, std::vector<std::string> result_names, Provenance from,
                   std::vector<ValueType> types) {
  HYALITE_CHECK(result_names.size() == op.results.size(), "results of " + std::string(op.name));
  HYALITE_CHECK(types.empty() || types.size() == result_names.size(), "result types of " + std::string(op.name));
  NodeId id = static_cast<NodeId>(nodes_.size());
  Node node{&op, std::move(operands), {}, std::move(attrs), std::move(from)};
  for (size_t i = 0; i < result_names.size(); ++i)
    node.results.push_back(add_value(result_names[i], types.empty() ? ValueType::unknown() : types[i], id, i));
  nodes_.push_back(std::move(node));
  return id;
}

NodeId Graph::append(const OpSpec& op, std::vector<ValueId> operands, Attrs attrs, std::vector<std::string> result_names, Provenance from,
                     std::vector<ValueType> types) {
  NodeId id = make(op, std::move(operands), std::move(attrs), std::move(result_names), std::move(from), std::move(types));
  order_.push_back(id);
  return id;
}

NodeId Graph::insert_before(NodeId anchor, const OpSpec& op, std::vector<ValueId> operands, Attrs attrs,
                            std::vector<std::string> result_names, Provenance from, std::vector<ValueType> types) {
  NodeId id = make(op, std::move(operands), std::move(attrs), std::move(result_names), std::move(from), std::move(types));
  order_.insert(std::find(order_.begin(), order_.end(), anchor), id);
  return id;
}

ValueId Graph::find_value(std::string_view name) const {
  auto it = by_name_.find(name);
  return it == by_name_.end() ? kNone : it->second;
}

std::vector<NodeId> Graph::users_of(ValueId value) const {
  std::vector<NodeId> users;
  for (NodeId id : order_)
    if (std::ranges::count(nodes_[id].operands, value)) users.push_back(id);
  return users;
}

bool Graph::is_output(ValueId value) const {
  return std::ranges::count(outputs_, value) > 0;
}

std::string Graph::unique_name(std::string_view wish) const {
  std::string name(wish);
  for (int i = 1; find_value(name) != kNone; ++i) name = std::string(wish) + "_" + std::to_string(i);
  return name;
}

void Graph::rename(ValueId id, std::string_view wish) {
  by_name_.erase(value(id).name);
  value(id).name = unique_name(wish);
  by_name_.emplace(value(id).name, id);
}

void Graph::replace_uses(ValueId from, ValueId to) {
  for (NodeId id : order_) std::ranges::replace(nodes_[id].operands, from, to);
  std::ranges::replace(outputs_, from, to);
}

void Graph::erase(NodeId id) {
  for (ValueId result : nodes_.at(id).results) {
    HYALITE_CHECK(users_of(result).empty() && !is_output(result), "%" + values_[result].name + " is still used");
    by_name_.erase(values_[result].name);
    values_[result].name.clear();  // the name is free again
  }
  std::erase(order_, id);
}

namespace {

// Values of b that stand where a's stand, or false at the first difference.
bool same_values(const Graph& a, const Graph& b, const std::vector<ValueId>& x, const std::vector<ValueId>& y) {
  if (x.size() != y.size()) return false;
  for (size_t i = 0; i < x.size(); ++i) {
    if ((x[i] == kNone) != (y[i] == kNone)) return false;
    if (x[i] == kNone) continue;
    const Value &v = a.value(x[i]), &w = b.value(y[i]);
    if (v.name != w.name || v.type != w.type) return false;
  }
  return true;
}

}  // namespace

bool operator==(const Graph& a, const Graph& b) {
  if (a.name() != b.name() || a.node_count() != b.node_count() || !same_values(a, b, a.inputs(), b.inputs()) ||
      !same_values(a, b, a.outputs(), b.outputs()))
    return false;
  for (int32_t i = 0; i < a.node_count(); ++i) {
    const Node &m = a.node(a.order()[i]), &n = b.node(b.order()[i]);
    if (m.op != n.op || m.attrs != n.attrs || m.from != n.from || !same_values(a, b, m.operands, n.operands) ||
        !same_values(a, b, m.results, n.results))
      return false;
  }
  return true;
}

const Graph* Module::find(std::string_view name) const {
  auto it = std::ranges::find_if(graphs, [&](const Graph& graph) { return graph.name() == name; });
  return it == graphs.end() ? nullptr : &*it;
}

}  // namespace hyalite
