#include <fmt/format.h>

#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>

#include "base/error.h"
#include "cli/table.h"
#include "cli/verb.h"
#include "compile/artifact_view.h"
#include "ir/printer.h"

namespace hyalite {
namespace {

struct Options {
  std::string artifact, mode = "decode", pass_name;
  bool schedule = false, memory = false, weights = false, kernels = false;
};

std::string joined(const Json& operands) {
  std::string text;
  for (const Json& operand : operands)
    if (operand.contains("name")) text += (text.empty() ? "%" : ", %") + operand["name"].get<std::string>();
  return text;
}

int show_pass(const ArtifactView& artifact, const Options& o, VerbContext& context) {
  Json pass = artifact.pass(o.pass_name);
  if (context.json) {
    context.out << print_json(pass) << '\n';
    return 0;
  }
  context.out << fmt::format("pass {}: {} nodes before, {} after, {:.2f} ms\n", o.pass_name, pass["nodes_before"].get<int>(),
                             pass["nodes_after"].get<int>(), pass["ms"].get<double>());
  for (const Json& change : pass["changes"])
    context.out << fmt::format("  {} {} x {}\n", change["kind"].get<std::string>(), change["count"].get<int>(),
                               change["op"].get<std::string>());
  for (const Json& remark : pass["remarks"])
    context.out << fmt::format("  {} {}: {}\n", remark["kind"].get<std::string>(), remark["path"].get<std::string>(),
                               remark["text"].get<std::string>());
  context.out << pass["diff"].get<std::string>();
  return 0;
}

void print_schedule(const Json& steps, std::ostream& out) {
  int number = 0;
  for (const Json& step : steps) {
    out << fmt::format("{:>4}  {}  {} = {}\n", number++, step["variant"].get<std::string>(), joined(step["outputs"]),
                       step["path"].get<std::string>());
    out << fmt::format("      {}\n", step["reason"].get<std::string>());
    for (const Json& one : step["refused"])
      out << fmt::format("      not {}: {}\n", one["variant"].get<std::string>(), one["why"].get<std::string>());
  }
}

void print_memory(const Json& memory, std::ostream& out) {
  out << fmt::format("arena {:.3f} MB, workspace {:.3f} MB\n", memory["arena_bytes"].get<double>() / 1e6,
                     memory["workspace_bytes"].get<double>() / 1e6);
  Table table({"value", ">offset", ">bytes", ">first step", ">last"});
  for (const Json& one : memory["values"])
    table.row({"%" + one["name"].get<std::string>(), one["offset"].dump(), one["bytes"].dump(), one["first"].dump(), one["last"].dump()});
  table.print(out);
}

void print_weights(const Json& weights, std::ostream& out) {
  Table table({"weight", "format", "layout", ">bytes"});
  for (const Json& one : weights)
    table.row({one["name"].get<std::string>(), one["dtype"].get<std::string>(),
               one["layout"].get<std::string>().empty() ? "as is" : one["layout"].get<std::string>(), one["bytes"].dump()});
  table.print(out);
}

void print_kernels(const Json& kernels, std::ostream& out) {
  Table table({"variant", ">steps", ">predicted us", ">MB"});
  for (const auto& [name, one] : kernels.items())
    table.row({name, one["steps"].dump(), fmt::format("{:.1f}", one["predicted_us"].get<double>()),
               fmt::format("{:.2f}", one["bytes"].get<double>() / 1e6)});
  table.print(out);
}

int run(const Options& o, VerbContext& context) {
  ArtifactView artifact(o.artifact);
  if (!o.pass_name.empty()) return show_pass(artifact, o, context);
  if (o.mode != "prefill" && o.mode != "decode") throw Error(ErrorCode::invalid_argument, "--mode " + o.mode, "must be prefill or decode");
  if (!o.schedule && !o.memory && !o.weights && !o.kernels) {
    if (context.json)
      context.out << print_json(graph_to_json(artifact.graph(o.mode))) << '\n';
    else
      context.out << print(artifact.graph(o.mode));
    return 0;
  }
  Json json = {{"mode", o.mode}};
  std::optional<ExecutionPlan> plan;
  if (o.schedule || o.memory || o.kernels) plan = artifact.plan(o.mode);
  if (o.schedule) json["steps"] = to_json(*plan)["steps"];
  if (o.memory) json["memory"] = memory_to_json(*plan);
  if (o.weights) json["weights"] = artifact.weights();
  if (o.kernels) json["kernels"] = kernels_to_json(*plan);
  if (context.json) {
    context.out << print_json(json) << '\n';
    return 0;
  }
  if (o.schedule) print_schedule(json["steps"], context.out);
  if (o.memory) print_memory(json["memory"], context.out);
  if (o.weights) print_weights(json["weights"], context.out);
  if (o.kernels) print_kernels(json["kernels"], context.out);
  return 0;
}

VerbAction setup(const OptionSet& set) {
  auto o = std::make_shared<Options>();
  set.add("artifact", o->artifact, "Compiled artifact").required();
  Option pass = set.add("--pass-name", o->pass_name, "Show what one pass changed: counts, remarks, diff");
  pass.excludes(set.add("--mode", o->mode, "Which graph and plan: prefill or decode"));
  pass.excludes(set.add("--schedule", o->schedule, "Steps with variant, reason and refused variants"));
  pass.excludes(set.add("--memory", o->memory, "Places and lifetimes of activations"));
  pass.excludes(set.add("--weights", o->weights, "Weights, their formats and forms"));
  pass.excludes(set.add("--kernels", o->kernels, "Variants in use, with counts and predicted cost"));
  return [o](VerbContext& context) { return run(*o, context); };
}

}  // namespace

extern const Verb verb_inspect{"inspect", "Compile and look inside", "Show an artifact: IR text, a pass's diff, schedule, memory, weights",
                               setup};

}  // namespace hyalite
