#include "workbench/export/report.h"

#include <unordered_map>

#include "ir/printer.h"
#include "workbench/export/layers.h"

namespace hyalite {
namespace {

// The schedule without operand types, which the graph holds already.
Json steps_of(const Json& schedule) {
  Json steps = Json::array();
  for (const Json& step : schedule.at("steps")) {
    Json one;
    for (const char* field :
         {"path", "op", "variant", "provider", "reason", "refused", "bytes", "flops", "predicted_us", "workspace_bytes"})
      if (step.contains(field)) one[field] = step[field];
    one["layer"] = layer_of(one["path"].get<std::string>());
    steps.push_back(std::move(one));
  }
  return steps;
}

std::unordered_map<std::string, int> step_of_value(const Json& schedule) {
  std::unordered_map<std::string, int> steps;
  int number = 0;
  for (const Json& step : schedule.at("steps")) {
    for (const Json& output : step.at("outputs"))
      if (output.contains("name")) steps.emplace(output["name"].get<std::string>(), number);
    ++number;
  }
  return steps;
}

Json segments_of(const Graph& graph, const std::unordered_map<NodeId, int>& index) {
  Json list = Json::array();
  for (const Segment& segment : fold_layers(graph)) {
    Json bodies = Json::array();
    for (const std::vector<NodeId>& body : segment.bodies) {
      Json nodes = Json::array();
      for (NodeId id : body) nodes.push_back(index.at(id));
      bodies.push_back(std::move(nodes));
    }
    list.push_back(
        {{"first", segment.first_layer}, {"last", segment.last_layer}, {"period", segment.layers_per_body}, {"bodies", std::move(bodies)}});
  }
  return list;
}

Json graph_of(const Graph& graph, const Json& schedule) {
  Json json = graph_to_json(graph);
  Json inputs = Json::array();
  for (ValueId id : graph.inputs()) inputs.push_back({{"name", graph.value(id).name}, {"type", print(graph.value(id).type)}});
  json["inputs"] = std::move(inputs);
  auto steps = step_of_value(schedule);
  std::unordered_map<NodeId, int> index;
  for (NodeId id : graph.order()) {
    Json& node = json["nodes"][index.size()];
    index.emplace(id, static_cast<int>(index.size()));
    auto step = node["results"].empty() ? steps.end() : steps.find(node["results"][0].get<std::string>());
    node["step"] = step == steps.end() ? -1 : step->second;
    node["layer"] = layer_of(graph.node(id).from.path);
    node.erase("id");
  }
  json["segments"] = segments_of(graph, index);
  return json;
}

}  // namespace

Json report(const ArtifactView& artifact, const std::string& mode) {
  const JsonReader description = artifact.description();
  const ExecutionPlan plan = artifact.plan(mode);
  const Json schedule = to_json(plan);
  return {
      {"mode", mode},
      {"model", description.field("model")},
      {"source", description.field("source")},
      {"target", description.field("target")},
      {"limits",
       {{"tokens", schedule.at("max_tokens")}, {"sequences", schedule.at("max_sequences")}, {"positions", schedule.at("max_positions")}}},
      {"graph", graph_of(artifact.graph(mode), schedule)},
      {"steps", steps_of(schedule)},
      {"memory", memory_to_json(plan)},
      {"weights", artifact.weights()},
      {"passes", artifact.passes()}};
}

}  // namespace hyalite
