#include "passes/rewriter.h"

#include <algorithm>

#include "base/error.h"
#include "ir/inference.h"

namespace hyalite {
namespace {

bool contains(const std::vector<NodeId>& nodes, NodeId node) {
  return std::ranges::find(nodes, node) != nodes.end();
}

// The source-level nodes that `nodes` come from: a fused node stands for its parents.
std::vector<std::string> origins(const Graph& graph, const std::vector<NodeId>& nodes) {
  std::vector<std::string> paths;
  auto add = [&](const std::string& path) {
    if (!path.empty() && std::ranges::find(paths, path) == paths.end()) paths.push_back(path);
  };
  for (NodeId id : nodes) {
    const Provenance& from = graph.node(id).from;
    if (from.parents.empty()) add(from.path);
    for (const std::string& parent : from.parents) add(parent);
  }
  return paths;
}

}  // namespace

std::string_view name_of(Remark::Kind kind) {
  switch (kind) {
    case Remark::Kind::matched: return "matched";
    case Remark::Kind::refused: return "refused";
    default: return "note";
  }
}

Rewriter::Rewriter(Graph& graph, std::string_view pass, std::vector<Remark>& remarks)
    : graph_(graph), pass_(pass), remarks_(remarks), users_(graph.value_count()) {
  for (NodeId id : graph.order()) link(id);
}

void Rewriter::link(NodeId node) {
  users_.resize(graph_.value_count());
  for (ValueId value : graph_.node(node).operands)
    if (value != kNone && !contains(users_[value], node)) users_[value].push_back(node);
  positions_.clear();
}

NodeId Rewriter::producer(ValueId value, std::string_view op) const {
  if (value == kNone) return kNone;
  NodeId node = graph_.value(value).producer;
  return node != kNone && graph_.node(node).op->name == op ? node : kNone;
}

NodeId Rewriter::only_user(ValueId value) const {
  return users_[value].size() == 1 && !graph_.is_output(value) ? users_[value].front() : kNone;
}

int32_t Rewriter::position(NodeId node) const {
  if (positions_.empty()) {
    const std::vector<NodeId>& order = graph_.order();
    positions_.resize(order.empty() ? 0 : *std::ranges::max_element(order) + 1);
    for (size_t i = 0; i < order.size(); ++i) positions_[order[i]] = static_cast<int32_t>(i);
  }
  return positions_[node];
}

// The node in front of which the replacement goes: the last of `nodes`, or the first outside user of a result if that comes earlier.
NodeId Rewriter::place_for(const std::vector<NodeId>& nodes, const std::vector<ValueId>& results) const {
  NodeId place = *std::ranges::max_element(nodes, {}, [&](NodeId id) { return position(id); });
  for (ValueId value : results) {
    if (value == kNone) continue;
    for (NodeId user : users_[value])
      if (!contains(nodes, user) && position(user) < position(place)) place = user;
  }
  return place;
}

bool Rewriter::can_replace(const std::vector<NodeId>& nodes, const std::vector<ValueId>& operands,
                           const std::vector<ValueId>& results) const {
  for (NodeId id : nodes)
    for (ValueId value : graph_.node(id).results) {
      if (std::ranges::find(results, value) != results.end()) continue;
      if (graph_.is_output(value) || !std::ranges::all_of(users_[value], [&](NodeId user) { return contains(nodes, user); })) return false;
    }
  int32_t place = position(place_for(nodes, results));
  return std::ranges::all_of(operands, [&](ValueId value) {
    NodeId node = value == kNone ? kNone : graph_.value(value).producer;
    return node == kNone || (position(node) < place && !contains(nodes, node));
  });
}

NodeId Rewriter::replace(const std::vector<NodeId>& nodes, const OpSpec& op, std::vector<ValueId> operands, Attrs attrs,
                         const std::vector<ValueId>& results, std::string path) {
  HYALITE_CHECK(can_replace(nodes, operands, results), "replacement of " + path);
  NodeId place = place_for(nodes, results);
  std::vector<std::string> names;
  std::vector<ValueType> types;
  for (ValueId value : results) {
    names.push_back(value == kNone ? path : take_name(value));
    types.push_back(value == kNone ? ValueType::unknown() : graph_.value(value).type);
  }
  NodeId made = graph_.insert_before(place, op, std::move(operands), std::move(attrs), std::move(names),
                                     {std::move(path), pass_, origins(graph_, nodes)}, std::move(types));
  link(made);
  for (size_t i = 0; i < results.size(); ++i)
    if (results[i] != kNone) replace_uses(results[i], graph_.result(made, static_cast<int>(i)));
  std::vector<NodeId> last_first = nodes;
  std::ranges::sort(last_first, std::greater{}, [&](NodeId id) { return position(id); });
  for (NodeId id : last_first) erase(id);
  infer(made);
  return made;
}

NodeId Rewriter::insert_before(NodeId anchor, const OpSpec& op, std::vector<ValueId> operands, Attrs attrs, std::vector<std::string> names,
                               const std::string& path, const std::vector<NodeId>& from) {
  Provenance provenance{path, pass_, origins(graph_, from)};
  NodeId made = graph_.insert_before(anchor, op, std::move(operands), std::move(attrs), std::move(names), std::move(provenance));
  link(made);
  infer(made);
  changed_ = true;
  return made;
}

std::string Rewriter::take_name(ValueId value) {
  std::string name = graph_.value(value).name;
  graph_.rename(value, name + ".replaced");
  return name;
}

void Rewriter::infer(NodeId id) {
  if (std::optional<std::vector<ValueType>> types = inferred_types(graph_, id))
    for (size_t i = 0; i < types->size(); ++i) set_type(graph_.result(id, static_cast<int>(i)), std::move((*types)[i]));
}

void Rewriter::set_attr(NodeId node, std::string_view name, AttrValue value) {
  const AttrValue* old = graph_.node(node).attrs.find(name);
  if (old && *old == value) return;
  graph_.node(node).attrs.set(name, std::move(value));
  changed_ = true;
}

void Rewriter::set_type(ValueId value, ValueType type) {
  if (graph_.value(value).type == type) return;
  graph_.value(value).type = std::move(type);
  changed_ = true;
}

void Rewriter::set_operand(NodeId node, int index, ValueId value) {
  std::vector<ValueId>& operands = graph_.node(node).operands;
  ValueId old = std::exchange(operands.at(index), value);
  if (old == value) return;
  if (old != kNone && std::ranges::find(operands, old) == operands.end()) std::erase(users_[old], node);
  link(node);
  changed_ = true;
}

void Rewriter::replace_uses(ValueId from, ValueId to) {
  for (NodeId user : users_[from]) {
    std::ranges::replace(graph_.node(user).operands, from, to);
    if (!contains(users_[to], user)) users_[to].push_back(user);
  }
  users_[from].clear();
  if (graph_.is_output(from)) graph_.replace_uses(from, to);
  changed_ = true;
}

void Rewriter::erase(NodeId node) {
  for (ValueId value : graph_.node(node).operands)
    if (value != kNone) std::erase(users_[value], node);
  graph_.erase(node);
  positions_.clear();
  changed_ = true;
}

void Rewriter::matched(NodeId node, std::string text) {
  remarks_.push_back({Remark::Kind::matched, graph_.node(node).from.path, std::move(text)});
}

void Rewriter::refused(NodeId node, std::string text) {
  remarks_.push_back({Remark::Kind::refused, graph_.node(node).from.path, std::move(text)});
}

void Rewriter::note(std::string text) {
  remarks_.push_back({Remark::Kind::note, "@" + graph_.name(), std::move(text)});
}

}  // namespace hyalite
