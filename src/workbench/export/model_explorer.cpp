#include "workbench/export/model_explorer.h"

#include <unordered_map>

#include "ir/printer.h"

namespace hyalite {
namespace {

constexpr size_t kLongestAttr = 200;  // a constant's values would fill the side panel

Json pair(const std::string& key, std::string value) {
  return {{"key", key}, {"value", std::move(value)}};
}

std::string id_of(NodeId id) {
  return "n" + std::to_string(id);
}

std::string input_id_of(ValueId id) {
  return "input" + std::to_string(id);
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

// "blk.3.attn.q" -> "blk/3/attn"; slashes and empty parts of a hostile path open no levels of their own.
std::string namespace_of(std::string_view path) {
  std::string space;
  for (size_t dot = path.find('.'); dot != std::string_view::npos; path.remove_prefix(dot + 1), dot = path.find('.')) {
    if (dot == 0) continue;
    if (!space.empty()) space += '/';
    for (char c : path.substr(0, dot)) space += c == '/' ? '_' : c;
  }
  return space;
}

Json attrs_of(const Node& node, const Json* step) {
  Json attrs = Json::array();
  for (const auto& [name, value] : node.attrs.items()) {
    std::string text = print(value);
    if (text.size() > kLongestAttr) text.replace(kLongestAttr, std::string::npos, " ...");
    attrs.push_back(pair(name, text));
  }
  attrs.push_back(pair("path", node.from.path));
  if (!node.from.pass.empty()) attrs.push_back(pair("made by", node.from.pass));
  if (!node.from.parents.empty()) attrs.push_back(pair("replaces", joined(node.from.parents)));
  if (!step) return attrs;
  for (const char* field : {"variant", "reason"}) attrs.push_back(pair(field, step->at(field).get<std::string>()));
  for (const char* field : {"predicted_us", "bytes", "flops"}) attrs.push_back(pair(field, step->at(field).dump()));
  return attrs;
}

Json edges_of(const Graph& graph, const Node& node) {
  Json edges = Json::array();
  for (size_t i = 0; i < node.operands.size(); ++i) {
    if (node.operands[i] == kNone) continue;
    const Value& value = graph.value(node.operands[i]);
    edges.push_back({{"sourceNodeId", value.producer == kNone ? input_id_of(node.operands[i]) : id_of(value.producer)},
                     {"sourceNodeOutputId", std::to_string(value.result_index)},
                     {"targetNodeInputId", std::to_string(i)}});
  }
  return edges;
}

// The key "tensor_shape" is what the viewer writes on edges.
Json metadata_of(const Graph& graph, const std::vector<ValueId>& values) {
  Json list = Json::array();
  for (size_t i = 0; i < values.size(); ++i) {
    const Value& value = graph.value(values[i]);
    list.push_back(
        {{"id", std::to_string(i)}, {"attrs", Json::array({pair("name", value.name), pair("tensor_shape", print(value.type))})}});
  }
  return list;
}

}  // namespace

Json to_model_explorer(const Graph& graph, const Json& schedule, const std::string& label) {
  std::unordered_map<std::string, const Json*> steps;
  for (const Json& step : schedule.at("steps"))
    for (const Json& output : step.at("outputs"))
      if (output.contains("name")) steps.emplace(output["name"].get<std::string>(), &step);
  Json nodes = Json::array();
  for (ValueId id : graph.inputs())
    nodes.push_back({{"id", input_id_of(id)},
                     {"label", graph.value(id).name},
                     {"namespace", ""},
                     {"attrs", Json::array()},
                     {"incomingEdges", Json::array()},
                     {"outputsMetadata", metadata_of(graph, {id})}});
  for (NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    auto step = node.results.empty() ? steps.end() : steps.find(graph.value(node.results[0]).name);
    nodes.push_back({{"id", id_of(id)},
                     {"label", node.op->name},
                     {"namespace", namespace_of(node.from.path)},
                     {"attrs", attrs_of(node, step == steps.end() ? nullptr : step->second)},
                     {"incomingEdges", edges_of(graph, node)},
                     {"outputsMetadata", metadata_of(graph, node.results)}});
  }
  Json graphs = Json::array();
  graphs.push_back({{"id", graph.name()}, {"nodes", std::move(nodes)}});
  return {{"label", label}, {"graphs", std::move(graphs)}};
}

}  // namespace hyalite
