#include "compile/load.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "base/error.h"
#include "compile/artifact.h"
#include "compile/artifact_view.h"

namespace hyalite {
namespace {

void refuse(const std::filesystem::path& path, const std::string& what, const std::string& has, const std::string& wanted) {
  throw Error(ErrorCode::invalid_argument, path.string(),
              "was compiled for " + what + " " + has + ", not " + wanted + "; compile it again");
}

void check_fits(const std::filesystem::path& path, const ExecutionPlan& plan, const CompileOptions& options) {
  if (plan.numerics != options.numerics && !options.any_numerics)
    refuse(path, "numerics", std::string(name_of(plan.numerics)), std::string(name_of(options.numerics)));
  if (plan.isa > options.isa) refuse(path, "instruction set", std::string(name_of(plan.isa)), std::string(name_of(options.isa)));
  if (options.kv_dtype && !plan.caches.empty() && plan.caches[0].dtype != *options.kv_dtype)
    refuse(path, "cache format", std::string(format_of(plan.caches[0].dtype).name), std::string(format_of(*options.kv_dtype).name));
  if (options.max_positions > plan.max_positions)
    refuse(path, "at most", std::to_string(plan.max_positions) + " positions", std::to_string(options.max_positions));
  for (const PlanStep& step : plan.steps)
    if (const std::string missing = lacks(*step.variant, options.machine.features); !missing.empty())
      throw Error(ErrorCode::invalid_argument, path.string(),
                  "runs " + std::string(step.variant->name) + ", which " + missing + "; compile it again here");
}

// Names of the matrices that are converted when they are packed, by "from -> to".
std::map<std::string, std::set<std::string>> conversions(const Module& module) {
  std::map<std::string, std::set<std::string>> names;
  for (const Graph& graph : module.graphs)
    for (NodeId id : graph.order()) {
      const Node& node = graph.node(id);
      if (node.op->name != "convert") continue;
      const Value& source = graph.value(node.operands[0]);
      if (source.type.tensor.rank() != 2) continue;
      names[fmt::format("{} -> {}", format_of(source.type.tensor.dtype).name, node.attrs.text("to"))].insert(source.name);
    }
  return names;
}

void check_pair_fits(const std::filesystem::path& path, const ExecutionPlan& prefill, const ExecutionPlan& decode,
                     const CompileOptions& options) {
  for (const ExecutionPlan* plan : {&prefill, &decode}) check_fits(path, *plan, options);
  if (const int64_t has = draft_tokens(decode); options.max_draft_tokens > has)
    refuse(path, "at most", std::to_string(has) + " draft tokens", std::to_string(options.max_draft_tokens));
}

}  // namespace

std::vector<std::string> load_remarks(const Compilation& compilation) {
  std::vector<std::string> remarks = compilation.model.remarks;
  for (const auto& [formats, names] : conversions(compilation.module))
    remarks.push_back(fmt::format("{} weights {}: no kernel multiplies them as they are", names.size(), formats));
  return remarks;
}

ModelInfo info_of(const ModelConfig& config) {
  return {config.name, config.family, config.layers, config.hidden, config.vocab, config.context_length};
}

std::shared_ptr<ModelPlan> make_model_plan(Compilation compilation, ThreadPool& pool) {
  HYALITE_CHECK(compilation.prefill && compilation.decode, "the compilation has no plans");
  const ThreadPool::CancelScope scope(pool, compilation.options.cancel);
  auto model = std::make_shared<ModelPlan>();
  model->info = info_of(compilation.model.config);
  model->remarks = load_remarks(compilation);
  model->tokenizer = std::move(compilation.model.tokenizer);
  model->prefill = std::move(*compilation.prefill);
  model->decode = std::move(*compilation.decode);
  const ExecutionPlan* plans[] = {&model->prefill, &model->decode};
  model->weights = WeightSet::pack(plans, std::make_shared<WeightStore>(std::move(compilation.model.weights)), pool);
  return model;
}

std::shared_ptr<ModelPlan> load_model(const std::filesystem::path& path, const CompileOptions& options, ThreadPool& pool) {
  if (!is_artifact(path)) return make_model_plan(compile(path, options, pool), pool);
  std::shared_ptr<ModelPlan> model = load_artifact(path, options.cancel);
  check_pair_fits(path, model->prefill, model->decode, options);
  return model;
}

ArtifactPlans load_artifact_plans(const std::filesystem::path& path, const CompileOptions& options) {
  const ArtifactView artifact(path);
  artifact.expect_complete();
  ArtifactPlans plans{artifact.plan("prefill"), artifact.plan("decode"), artifact.tokenizer()};
  check_pair_fits(path, plans.prefill, plans.decode, options);
  return plans;
}

}  // namespace hyalite
