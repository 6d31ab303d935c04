#include "compile/artifact_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/digest.h"
#include "base/error.h"
#include "base/mapped_file.h"
#include "base/tokenizer_spec_json.h"
#include "compile/artifact.h"
#include "compile/compiler.h"
#include "compile/trace_json.h"
#include "compile/weight_file.h"
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

// What artifact.json says of a plan, the plan must say too.
void check_target(const ExecutionPlan& plan, const JsonReader& target) {
  const auto kv_dtype = target.get<std::string>("kv_dtype");
  const bool keeps = std::ranges::all_of(plan.caches, [&](const CacheSpec& cache) { return format_of(cache.dtype).name == kv_dtype; });
  const auto same = [&](const char* field, std::string_view of_plan) {
    if (target.get<std::string>(field) != of_plan) target.fail(fmt::format("{} is not that of the {} plan, {}", field, plan.mode, of_plan));
  };
  same("isa", name_of(plan.isa));
  same("numerics", name_of(plan.numerics));
  if (target.get<int64_t>("max_positions") != plan.max_positions) target.fail("max_positions is not that of the " + plan.mode + " plan");
  if (!keeps) target.fail("kv_dtype is not that of the " + plan.mode + " plan's caches");
}

}  // namespace

ArtifactView::ArtifactView(std::filesystem::path directory) : directory_(std::move(directory)) {
  if (!is_artifact(directory_)) throw Error(ErrorCode::invalid_model, directory_.string(), "is no artifact: it holds no artifact.json");
  json_ = read_json_file(where());
  if (const int version = description().get<int>("format_version"); version != kArtifactVersion)
    throw Error(ErrorCode::invalid_model, where(),
                fmt::format("format version {}; this build reads version {}", version, kArtifactVersion));
}

std::string ArtifactView::read(const std::string& relative) const {
  const std::string path = (directory_ / relative).string();
  const JsonReader digests = description().object("digests");
  if (!digests.has(relative))
    throw Error(ErrorCode::invalid_model, directory_.string(),
                "has no " + relative + ": its compilation stopped after " + description().get<std::string>("stage"));
  if (!std::filesystem::exists(path)) throw Error(ErrorCode::invalid_model, path, "is missing: the artifact is damaged");
  auto file = MappedFile::open(path);
  std::string text(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
  if (digest_of(text) != digests.get<std::string>(relative))
    throw Error(ErrorCode::invalid_model, path, "its digest is not the one in artifact.json: it was changed or damaged");
  return text;
}

Json ArtifactView::read_json(const std::string& relative) const {
  return parse_json(read(relative), (directory_ / relative).string());
}

bool ArtifactView::is_complete() const {
  return description().get<std::string>("stage") == pass_names().back();
}

void ArtifactView::expect_complete() const {
  if (!is_complete())
    throw Error(ErrorCode::invalid_model, directory_.string(),
                "does not run: its compilation stopped after " + description().get<std::string>("stage"));
}

ModelInfo ArtifactView::info() const {
  const JsonReader from = description().object("model");
  return {from.get<std::string>("name"), from.get<std::string>("family"), from.get<int64_t>("layers"),
          from.get<int64_t>("hidden"),   from.get<int64_t>("vocab"),      from.get<int64_t>("context_length")};
}

TokenizerSpec ArtifactView::tokenizer() const {
  const std::string path = (directory_ / "tokenizer.json").string();
  TokenizerSpec spec = tokenizer_spec_from_json(read_json("tokenizer.json"), path);
  spec.file = spec.template_file = path;
  return spec;
}

ExecutionPlan ArtifactView::plan(const std::string& mode) const {
  ExecutionPlan plan = plan_from_json(read_json(schedule_path(mode)), (directory_ / schedule_path(mode)).string(),
                                      is_complete() ? PlanState::complete : PlanState::without_places);
  check_target(plan, description().object("target"));
  return plan;
}

Graph ArtifactView::graph(const std::string& mode) const {
  std::string path = "graphs/" + mode + ".cir";
  Module module = parse_module(read(path), (directory_ / path).string());
  if (module.graphs.empty()) throw Error(ErrorCode::invalid_model, (directory_ / path).string(), "holds no graph");
  return module.graphs.front();
}

Json ArtifactView::weights() const {
  if (!json_.contains("weights")) return Json::array();
  const JsonReader index = description().object("weights");
  check_weight_index(index);
  return index.field("entries");
}

std::string ArtifactView::diff_of(size_t index, const std::string& name) const {
  const std::string path = fmt::format("passes/{:02}-{}.diff", index + 1, name);
  return description().object("digests").has(path) ? read(path) : std::string();
}

Json ArtifactView::passes() const {
  Json passes = traces_to_json(traces_from_json(description()));
  for (size_t i = 0; i < passes.size(); ++i) passes[i]["diff"] = diff_of(i, passes[i]["name"].get<std::string>());
  return passes;
}

Json ArtifactView::pass(const std::string& name) const {
  std::string known;
  Json passes = traces_to_json(traces_from_json(description()));
  for (size_t i = 0; i < passes.size(); ++i) {
    if (passes[i]["name"] == name) {
      passes[i]["diff"] = diff_of(i, name);
      return passes[i];
    }
    known += (known.empty() ? "" : ", ") + passes[i]["name"].get<std::string>();
  }
  throw Error(ErrorCode::invalid_argument, "--pass-name " + name, "no such pass; there are " + known);
}

Json graph_to_json(const Graph& g) {
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

Json memory_to_json(const ExecutionPlan& plan) {
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

Json kernels_to_json(const ExecutionPlan& plan) {
  struct Sum {
    std::string_view op;
    int steps = 0;
    double microseconds = 0, bytes = 0;
  };
  std::map<std::string_view, Sum> sums;
  for (const PlanStep& step : plan.steps) {
    Sum& sum = sums[step.variant->name];
    sum = {step.op->name, sum.steps + 1, sum.microseconds + step.predicted_us, sum.bytes + step.cost.bytes};
  }
  Json json = Json::object();
  for (const auto& [variant, sum] : sums)
    json[std::string(variant)] = {{"op", sum.op}, {"steps", sum.steps}, {"predicted_us", sum.microseconds}, {"bytes", sum.bytes}};
  return json;
}

}  // namespace hyalite
