#include <iostream>
#include <map>

#include "base/json.h"
#include "cli/model_options.h"
#include "cli/table.h"
#include "cli/verb.h"
#include "compile/artifact.h"
#include "compile/artifact_view.h"

namespace hyalite {
namespace {

struct Options {
  ModelOptions model;
};

struct Use {
  int steps = 0;
  int tuned = 0;  // of them, chosen by the tune record
};

// Variants that a model's plans use.
std::map<std::string_view, Use> used_variants(const Options& o, const CompileOptions& compile_for) {
  std::map<std::string_view, Use> used;
  if (o.model.model.empty()) return used;
  auto count = [&](const ExecutionPlan& plan) {
    for (const PlanStep& step : plan.steps) {
      Use& use = used[step.variant->name];
      ++use.steps;
      use.tuned += step.tuned_us > 0;
    }
  };
  if (is_artifact(o.model.model)) {
    const ArtifactView artifact(o.model.model);  // of any machine: nothing runs
    for (const char* mode : {"prefill", "decode"}) count(artifact.plan(mode));
    return used;
  }
  ThreadPool pool(compile_for.threads);
  const Compilation compilation = compile(o.model.model, compile_for, pool);
  count(*compilation.prefill);
  count(*compilation.decode);
  return used;
}

int run(const Options& o, VerbContext& context) {
  CompileOptions compile_for = compile_options(o.model, context);
  std::map<std::string_view, Use> used = used_variants(o, compile_for);
  Json list = Json::array();
  auto add = [&](const KernelVariant& variant) {
    std::string why = lacks(variant, compile_for.machine.features);
    list.push_back({{"name", variant.name},
                    {"op", variant.op},
                    {"provider", variant.provider},
                    {"needs", describe_features(variant.needs)},
                    {"usable", why.empty()},
                    {"why_not", why},
                    {"error_bound", variant.error_bound},
                    {"steps", used[variant.name].steps},
                    {"tuned_steps", used[variant.name].tuned}});
  };
  for (const KernelVariant* variant : cpu_variants()) add(*variant);
  for (const OpSpec* op : all_ops())
    if (const KernelVariant* variant = reference_variant(op->name)) add(*variant);
  if (context.json) {
    context.out << print_json({{"variants", list}}) << '\n';
    return 0;
  }
  Table table({"variant", "needs", "usable here", ">steps in the model's plans", ">tuned"});
  for (const Json& one : list)
    table.row({one["name"].get<std::string>(), one["needs"].get<std::string>(),
               one["usable"].get<bool>() ? "yes" : "no: " + one["why_not"].get<std::string>(),
               one["steps"].get<int>() ? one["steps"].dump() : "", one["tuned_steps"].get<int>() ? one["tuned_steps"].dump() : ""});
  table.print(context.out);
  return 0;
}

VerbAction setup(const OptionSet& set) {
  auto o = std::make_shared<Options>();
  add_model_options(set, o->model);
  const Option model = set.get("model").required(false).description("Model whose plans to count variants in");
  for (const char* of_a_plan : {"--threads", "--max-seq", "--prefill-chunk", "--kv-dtype"}) set.get(of_a_plan).needs(model);
  return [o](VerbContext& context) { return run(*o, context); };
}

}  // namespace

extern const Verb verb_kernels{"kernels", "Compile and look inside", "List kernel variants and why each is, or is not, usable here", setup};

}  // namespace hyalite
