#include "workbench/export/graph_dot.h"

#include <fmt/format.h>

#include <set>
#include <unordered_map>

#include "ir/printer.h"
#include "workbench/export/layers.h"

namespace hyalite {
namespace {

// A string of the dot language: quotes and backslashes escaped, other control characters dropped.
std::string dot_string(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n')
      out += "\\n";
    else if (static_cast<unsigned char>(c) >= 0x20)
      out += c;
  }
  return out + '"';
}

class DotWriter {
 public:
  explicit DotWriter(const Graph& graph) : graph_(graph), segments_(fold_layers(graph)) {
    for (const Segment& segment : segments_)
      for (const std::vector<NodeId>& body : segment.bodies)
        for (size_t i = 0, work = 0; i < body.size(); ++i)
          if (!is_source(graph_.node(body[i]))) shown_as_[body[i]] = working(segment.bodies[0])[work++];
  }

  std::string text() {
    out_ = fmt::format(
        "digraph {} {{\n  rankdir=TB;\n  node [shape=box, style=\"rounded,filled\", fillcolor=white, fontname=\"Helvetica\", "
        "fontsize=10];\n"
        "  edge [fontname=\"Helvetica\", fontsize=8, color=gray40];\n",
        dot_string(graph_.name()));
    for (ValueId id : graph_.inputs())
      if (!shown_source(id).empty()) out_ += fmt::format("  v{} [label={}, shape=ellipse];\n", id, dot_string(graph_.value(id).name));
    int number = 0;
    for (const Segment& segment : segments_) write_segment(segment, number++);
    for (const Segment& segment : segments_) write_edges(segment);
    for (ValueId id : graph_.outputs()) write_output(id);
    return out_ + "}\n";
  }

 private:
  std::vector<NodeId> working(const std::vector<NodeId>& body) const {
    std::vector<NodeId> nodes;
    for (NodeId id : body)
      if (!is_source(graph_.node(id))) nodes.push_back(id);
    return nodes;
  }

  static bool folded(const Segment& segment) { return segment.bodies.size() > 1; }

  static std::string title(const Segment& s) {
    std::string layers =
        s.first_layer == s.last_layer ? fmt::format("layer {}", s.first_layer) : fmt::format("layers {}-{}", s.first_layer, s.last_layer);
    if (!folded(s)) return layers;
    return s.layers_per_body == 1 ? fmt::format("{} × {}", layers, s.bodies.size())
                                  : fmt::format("{} × {}, {} layers each", layers, s.bodies.size(), s.layers_per_body);
  }

  std::string label(const Node& node, bool any_layer) const {
    std::string text = std::string(node.op->name) + '\n' + (any_layer ? path_in_any_layer(node.from.path) : node.from.path);
    for (ValueId operand : node.operands) {
      if (operand == kNone || graph_.value(operand).producer == kNone) continue;
      const Node& source = graph_.node(graph_.value(operand).producer);
      if (is_source(source))
        text += '\n' + (any_layer ? path_in_any_layer(source.from.path) : source.from.path) + ": " + print(graph_.value(operand).type);
    }
    return text;
  }

  void write_segment(const Segment& segment, int number) {
    const bool layer = segment.first_layer >= 0;
    if (layer)
      out_ += fmt::format("  subgraph cluster_{} {{\n    label={};\n    style=\"rounded\";\n    color=gray60;\n", number,
                          dot_string(title(segment)));
    for (NodeId id : working(segment.bodies[0]))
      out_ += fmt::format("    n{} [label={}];\n", id, dot_string(label(graph_.node(id), folded(segment))));
    if (layer) out_ += "  }\n";
  }

  void edge(const std::string& from, const std::string& to, ValueId value, bool turns_back) {
    if (!drawn_.insert(from + ' ' + to + ' ' + std::to_string(graph_.value(value).result_index) + (turns_back ? "b" : "")).second) return;
    out_ += fmt::format("  {} -> {} [label={}{}];\n", from, to, dot_string(print(graph_.value(value).type)),
                        turns_back ? ", style=dashed, constraint=false, xlabel=\"next\"" : "");
  }

  // Edges into the first body and, where bodies repeat, those that lead from the first into the second, drawn as a way back.
  void write_edges(const Segment& segment) {
    for (NodeId id : working(segment.bodies[0]))
      for (ValueId operand : graph_.node(id).operands)
        if (std::string from = shown_source(operand); !from.empty()) edge(from, fmt::format("n{}", id), operand, false);
    if (!folded(segment)) return;
    const std::set<NodeId> first(segment.bodies[0].begin(), segment.bodies[0].end());
    for (NodeId id : working(segment.bodies[1]))
      for (ValueId operand : graph_.node(id).operands)
        if (operand != kNone && first.contains(graph_.value(operand).producer))
          if (std::string from = shown_source(operand); !from.empty()) edge(from, fmt::format("n{}", shown_as_.at(id)), operand, true);
  }

  // The drawn node or graph input that a value comes from; empty for weights, constants, the batch and absent operands.
  std::string shown_source(ValueId value) const {
    if (value == kNone || graph_.value(value).type.kind == ValueType::Kind::batch) return "";
    NodeId producer = graph_.value(value).producer;
    if (producer == kNone) return fmt::format("v{}", value);
    auto shown = shown_as_.find(producer);
    return shown == shown_as_.end() ? "" : fmt::format("n{}", shown->second);
  }

  void write_output(ValueId id) {
    out_ += fmt::format("  o{} [label={}, shape=ellipse];\n", id, dot_string(graph_.value(id).name));
    if (std::string from = shown_source(id); !from.empty()) out_ += fmt::format("  {} -> o{};\n", from, id);
  }

  const Graph& graph_;
  std::vector<Segment> segments_;
  std::unordered_map<NodeId, NodeId> shown_as_;  // working node -> the node of the first body that stands for it
  std::set<std::string> drawn_;
  std::string out_;
};

}  // namespace

std::string to_dot(const Graph& graph) {
  return DotWriter(graph).text();
}

}  // namespace hyalite
