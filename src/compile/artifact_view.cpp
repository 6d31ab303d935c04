#include "compile/artifact_view.h"

#include <fmt/format.h>

#include <map>

#include "base/error.h"
#include "base/mapped_file.h"
#include "compile/artifact.h"
#include "ir/parser.h"
#include "ir/printer.h"
#include "plan/attrs_json.h"
#include "plan/execution_plan.h"

namespace hyalite {
namespace {

Json names_of(const Graph& graph, const std::vector<ValueId>& values) {
  Json names = Json::array();
  for (ValueId id : values) names.push_back(id == kNone ? Json() : Json(graph.value(id).name));
  return names;
}

Json types_of(const Graph& graph, const std::vector<ValueId>& values) {
  Json types = Json::array();
  for (ValueId id : values)
    types.push_back(graph.value(id).type.kind == ValueType::Kind::tensor ? to_string(graph.value(id).type.tensor) : "state");
  return types;
}

}  // namespace

ArtifactView::ArtifactView(std::filesystem::path directory) : directory_(std::move(directory)) {
  if (!is_artifact(directory_)) throw Error(ErrorCode::invalid_model, directory_.string(), "is no artifact: it holds no artifact.json");
  json_ = read_json_file((directory_ / "artifact.json").string());
  for (const char* field : {"format_version", "passes", "model", "target"})
    if (!json_.contains(field))
      throw Error(ErrorCode::invalid_model, (directory_ / "artifact.json").string(), std::string("has no field ") + field);
  if (const Json& version = json_.at("format_version"); version != kArtifactVersion)
    throw Error(ErrorCode::invalid_model, (directory_ / "artifact.json").string(),
                fmt::format("format version {}; this build reads version {}", version.dump(), kArtifactVersion));
}

std::string ArtifactView::read(const std::filesystem::path& relative) const {
  const std::filesystem::path path = directory_ / relative;
  if (!std::filesystem::exists(path)) {
    std::string stage = json_.value("stage", "an unknown pass");
    throw Error(ErrorCode::invalid_model, directory_.string(), "has no " + relative.string() + ": its compilation stopped after " + stage);
  }
  auto file = MappedFile::open(path);
  return {reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size()};
}

Graph ArtifactView::graph(const std::string& mode) const {
  std::string path = "graphs/" + mode + ".cir";
  Module module = parse_module(read(path), (directory_ / path).string());
  if (module.graphs.empty()) throw Error(ErrorCode::invalid_model, (directory_ / path).string(), "holds no graph");
  return module.graphs.front();
}

Json ArtifactView::graph_json(const std::string& mode) const {
  Graph g = graph(mode);
  Json nodes = Json::array();
  for (NodeId id : g.order()) {
    const Node& node = g.node(id);
    nodes.push_back({{"id", id},
                     {"op", node.op->name},
                     {"operands", names_of(g, node.operands)},
                     {"results", names_of(g, node.results)},
                     {"types", types_of(g, node.results)},
                     {"attrs", attrs_to_json(node.attrs)},
                     {"path", node.from.path},
                     {"pass", node.from.pass},
                     {"parents", node.from.parents}});
  }
  return {{"name", g.name()}, {"inputs", names_of(g, g.inputs())}, {"outputs", names_of(g, g.outputs())}, {"nodes", nodes}};
}

Json ArtifactView::schedule(const std::string& mode) const {
  const std::string relative = "schedules/" + mode + ".json";
  return parse_json(read(relative), (directory_ / relative).string());
}

Json ArtifactView::memory(const std::string& mode) const {
  std::string where = (directory_ / "schedules" / (mode + ".json")).string();
  ExecutionPlan plan = plan_from_json(schedule(mode), where);
  std::map<std::string, Json> values;
  std::vector<std::string> order;
  for (int i = 0; i < static_cast<int>(plan.steps.size()); ++i) {
    const PlanStep& step = plan.steps[i];
    for (const PlanOperand& input : step.inputs)
      if (input.kind == PlanOperand::Kind::arena) values[input.name]["last"] = i;
    for (const PlanOperand& output : step.outputs) {
      if (output.kind != PlanOperand::Kind::arena) continue;
      order.push_back(output.name);
      values[output.name] = {
          {"name", output.name}, {"path", step.path}, {"offset", output.offset}, {"bytes", bytes_of(output.type.tensor, plan.max_symbols)},
          {"first", i},          {"last", i}};
    }
  }
  Json list = Json::array();
  for (const std::string& name : order) list.push_back(values[name]);
  return {{"arena_bytes", plan.arena_bytes}, {"workspace_bytes", plan.workspace_bytes}, {"steps", plan.steps.size()}, {"values", list}};
}

Json ArtifactView::weights() const {
  return json_.contains("weights") ? json_.at("weights").at("entries") : Json::array();
}

Json ArtifactView::kernels(const std::string& mode) const {
  Json kernels = Json::object();
  const Json plan = schedule(mode);
  for (const Json& step : plan.at("steps")) {
    Json& one = kernels[step.at("variant").get<std::string>()];
    if (one.is_null()) one = {{"op", step.at("op")}, {"steps", 0}, {"predicted_us", 0.0}, {"bytes", 0.0}};
    one["steps"] = one["steps"].get<int>() + 1;
    one["predicted_us"] = one["predicted_us"].get<double>() + step.at("predicted_us").get<double>();
    one["bytes"] = one["bytes"].get<double>() + step.at("bytes").get<double>();
  }
  return kernels;
}

Json ArtifactView::pass(const std::string& name) const {
  std::string known;
  int number = 0;
  for (const Json& pass : json_.at("passes")) {
    ++number;
    if (pass.at("name") == name) {
      Json found = pass;
      std::string path = fmt::format("passes/{:02}-{}.diff", number, name);
      found["diff"] = std::filesystem::exists(directory_ / path) ? read(path) : std::string();
      return found;
    }
    known += (known.empty() ? "" : ", ") + pass.at("name").get<std::string>();
  }
  throw Error(ErrorCode::invalid_argument, "--pass-name " + name, "no such pass; there are " + known);
}

}  // namespace hyalite
