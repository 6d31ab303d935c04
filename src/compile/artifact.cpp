#include "compile/artifact.h"

#include <fmt/format.h>

#include <map>

#include "base/atomic_directory.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/tokenizer_spec_json.h"
#include "compile/artifact_view.h"
#include "compile/load.h"
#include "compile/trace_json.h"
#include "compile/weight_file.h"
#include "ir/printer.h"

namespace hyalite {
namespace fs = std::filesystem;
namespace {

Json info_to_json(const ModelInfo& info) {
  return {{"name", info.name},     {"family", info.family}, {"layers", info.layers},
          {"hidden", info.hidden}, {"vocab", info.vocab},   {"context_length", info.context_length}};
}

Json sources_to_json(const ImportedModel& model, const std::atomic<bool>* cancel) {
  Json list = Json::array();
  for (const auto& file : model.files)
    list.push_back(
        {{"path", file->path().filename().string()}, {"bytes", file->bytes().size()}, {"digest", digest_of(file->bytes(), cancel)}});
  return list;
}

Json target_to_json(const CompileOptions& o) {
  return {{"backend", "cpu"},
          {"isa", name_of(o.isa)},
          {"numerics", name_of(o.numerics)},
          {"kv_dtype", format_of(*o.kv_dtype).name},
          {"cpu_model", o.machine.cpu_model},
          {"max_tokens", o.max_symbols.tokens},
          {"max_positions", o.max_positions}};
}

// Every part that is text, by its path.
std::map<std::string, std::string> texts_of(const Compilation& c, bool complete) {
  std::map<std::string, std::string> texts = {{"tokenizer.json", tokenizer_spec_to_json(c.model.tokenizer).dump()}};
  for (size_t i = 0; i < c.passes.size(); ++i)
    if (c.passes[i].changed && !c.passes[i].diff.empty())
      texts[fmt::format("passes/{:02}-{}.diff", i + 1, c.passes[i].name)] = c.passes[i].diff;
  // Final graphs get a file each; a module that stopped earlier stays one file, to go on from.
  if (!complete)
    texts["graphs/module.cir"] = print(c.module);
  else
    for (const Graph& graph : c.module.graphs) texts["graphs/" + graph.name() + ".cir"] = print(Module{c.module.stage, {graph}});
  for (const auto* plan : {&c.prefill, &c.decode})
    if (*plan) texts[schedule_path((*plan)->mode)] = print_json(to_json(**plan));
  return texts;
}

// Every weight that a plan reads must be in the set, as the plan says. REQUIRES: the plan is checked, so that weight_bytes is defined.
void check_complete(const ExecutionPlan& plan, const WeightSet& weights, const std::string& where) {
  for (const PlanWeight& weight : plan.weights)
    for (const std::string& layout : layouts_of(weight)) {
      const auto found = weights.entries().find({weight.name, weight.type.dtype, layout});
      const std::string what = "weight " + weight.name + " of the " + plan.mode + " plan ";
      if (found == weights.entries().end()) throw Error(ErrorCode::invalid_model, where, what + "is missing");
      if (found->second.type != weight.type || found->second.bytes != weight_bytes(weight.type, layout))
        throw Error(ErrorCode::invalid_model, where, what + "has another size");
    }
}

// The two plans run in turns on one cache, behind one vocabulary.
void check_pair(const ModelPlan& model, const std::string& where) {
  if (model.prefill.mode != "prefill" || model.decode.mode != "decode" || model.prefill.caches != model.decode.caches ||
      model.prefill.vocab != model.info.vocab || model.decode.vocab != model.info.vocab)
    throw Error(ErrorCode::invalid_model, where, "its plans are not a pair: they differ in mode, caches or vocabulary");
}

// An artifact and nothing besides: a folder of the user's may happen to hold an artifact.json too.
bool is_only_an_artifact(const fs::path& path) {
  constexpr const char* kParts[] = {"artifact.json", "tokenizer.json", "graphs/*.cir", "schedules/*.json", "passes/*.diff", kWeightsPath};
  return is_artifact(path) && holds_only(path, kParts);
}

}  // namespace

std::string schedule_path(const std::string& mode) {
  return "schedules/" + mode + ".json";
}

bool is_artifact(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path / "artifact.json", ignored);
}

void write_artifact(const Compilation& c, const fs::path& directory, ThreadPool& pool) {
  const ThreadPool::CancelScope scope(pool, c.options.cancel);
  AtomicDirectory out(directory, is_only_an_artifact);
  Json json = {
      {"format_version", kArtifactVersion},
      {"model", info_to_json(info_of(c.model.config))},
      {"source", {{"format", c.model.format}, {"files", sources_to_json(c.model, c.options.cancel)}, {"remarks", c.model.remarks}}},
      {"target", target_to_json(c.options)},
      {"stage", c.module.stage},
      {"passes", traces_to_json(c.passes)},
      {"digests", Json::object()}};
  const bool complete = c.module.stage == pass_names().back();
  for (const auto& [path, text] : texts_of(c, complete)) {
    out.write(path, text);
    json["digests"][path] = digest_of(text);
  }
  if (complete) {
    const ExecutionPlan* plans[] = {&*c.prefill, &*c.decode};
    // The store is lent: it lives in the compilation, which outlives the set.
    std::shared_ptr<const WeightStore> store(std::shared_ptr<void>(), &c.model.weights);
    out.make_folder(fs::path(kWeightsPath).parent_path());
    json["weights"] = write_weight_file(*WeightSet::pack(plans, store, pool), out.path() / kWeightsPath, c.options.cancel);
  }
  out.write("artifact.json", print_json(json));
  out.commit();
}

std::shared_ptr<ModelPlan> load_artifact(const fs::path& directory, const std::atomic<bool>* cancel) {
  ArtifactView artifact(directory);
  artifact.expect_complete();
  auto model = std::make_shared<ModelPlan>();
  model->info = artifact.info();
  model->prefill = artifact.plan("prefill");
  model->decode = artifact.plan("decode");
  model->tokenizer = artifact.tokenizer();
  model->weights = map_weight_file(directory / kWeightsPath, artifact.description().object("weights"), cancel);
  check_complete(model->prefill, *model->weights, artifact.where());
  check_complete(model->decode, *model->weights, artifact.where());
  check_pair(*model, artifact.where());
  return model;
}

}  // namespace hyalite
