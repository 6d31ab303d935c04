#include "ir/printer.h"

#include <charconv>
#include <cmath>

#include "base/error.h"
#include "ir/text_form.h"

namespace hyalite {
namespace {

std::string name_text(std::string_view name) {
  return is_word(name) ? std::string(name) : string_literal(name);
}

std::string value_text(const Graph& graph, ValueId id) {
  return id == kNone ? "none" : "%" + name_text(graph.value(id).name);
}

std::string real_text(double value) {
  if (!std::isfinite(value)) throw Error(ErrorCode::invalid_model, "attribute", "a number that is not finite has no text form");
  char buffer[32];
  const char* end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  std::string text(buffer, static_cast<size_t>(end - buffer));
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

// "a, b, c" of whatever `text_of` makes of each item.
template <class Items, class TextOf>
std::string joined(const Items& items, TextOf text_of) {
  std::string text;
  for (const auto& item : items) {
    if (!text.empty()) text += ", ";
    text += text_of(item);
  }
  return text;
}

struct AttrPrinter {
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return real_text(value); }
  std::string operator()(const std::string& value) const { return string_literal(value); }
  template <class T>
  std::string operator()(const std::vector<T>& values) const {
    return "[" + joined(values, *this) + "]";
  }
};

std::string provenance_text(const Provenance& from) {
  std::string text;
  if (!from.path.empty()) text += " at " + string_literal(from.path);
  if (!from.pass.empty()) text += " by " + string_literal(from.pass);
  if (!from.parents.empty()) text += " from " + joined(from.parents, string_literal);
  return text;
}

}  // namespace

std::string print(const ValueType& type) {
  switch (type.kind) {
    case ValueType::Kind::unknown: return "?";
    case ValueType::Kind::tensor: return to_string(type.tensor);
    case ValueType::Kind::batch: return "batch";
    case ValueType::Kind::cache: return "cache";
  }
  return "?";
}

std::string print(const AttrValue& value) {
  return std::visit(AttrPrinter{}, value);
}

std::string print_node(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  const auto value = [&](ValueId v) { return value_text(graph, v); };
  std::string text = joined(node.results, value) + " = " + std::string(node.op->name);
  if (!node.operands.empty()) text += " " + joined(node.operands, value);
  if (!node.attrs.items().empty())
    text += " {" + joined(node.attrs.items(), [](const auto& item) { return item.first + " = " + print(item.second); }) + "}";
  text += " : " + joined(node.results, [&](ValueId v) { return print(graph.value(v).type); });
  return text + provenance_text(node.from);
}

std::string print(const Graph& graph) {
  const auto value = [&](ValueId v) { return value_text(graph, v); };
  const auto type = [&](ValueId v) { return print(graph.value(v).type); };
  std::string text = "graph @" + name_text(graph.name()) + "(";
  text += joined(graph.inputs(), [&](ValueId v) { return value(v) + ": " + type(v); });
  text += ") -> (" + joined(graph.outputs(), type) + ") {\n";
  for (NodeId id : graph.order()) text += "  " + print_node(graph, id) + "\n";
  return text + "  return" + (graph.outputs().empty() ? "" : " ") + joined(graph.outputs(), value) + "\n}\n";
}

std::string print(const Module& module) {
  std::string text;
  if (!module.stage.empty()) text += "stage " + string_literal(module.stage) + "\n";
  for (const Graph& graph : module.graphs) text += (text.empty() ? "" : "\n") + print(graph);
  return text;
}

}  // namespace hyalite
