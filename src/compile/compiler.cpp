#include "compile/compiler.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>

#include "base/cancellation.h"
#include "base/clock.h"
#include "base/error.h"
#include "compile/artifact.h"
#include "compile/planning_passes.h"
#include "ir/parser.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "models/model_builder.h"
#include "passes/pipelines.h"
#include "passes/validator.h"
#include "plan/plan_check.h"

namespace hyalite {
namespace {

bool is_planning_pass(std::string_view name) {
  return std::ranges::count(planning_passes(), name, &PlanningPass::name) > 0;
}

CompileOptions resolve(CompileOptions options, const ModelConfig& config) {
  if (!options.kv_dtype) options.kv_dtype = options.numerics == Numerics::reference ? DType::f32 : DType::f16;
  if (options.max_positions == 0) options.max_positions = config.context_length;
  if (options.max_positions > config.context_length)
    throw Error(ErrorCode::context_length_exceeded, "the context",
                fmt::format("{} positions are asked for, the model was made for {}", options.max_positions, config.context_length));
  const Symbols decode = decode_symbols(options);
  options.max_symbols.tokens = std::max(options.max_symbols.tokens, decode.tokens);
  options.max_symbols.sequences = std::max(options.max_symbols.sequences, decode.sequences);
  options.max_symbols.logits_rows = std::max(options.max_symbols.logits_rows, decode.logits_rows);
  return options;
}

// A text may say anything of a weight; packing and kernels take its type for granted.
void check_weights(const Module& module, const WeightStore& weights) {
  for (const Graph& graph : module.graphs)
    for (NodeId id : graph.order()) {
      const Node& node = graph.node(id);
      if (node.op->name != "weight") continue;
      const std::string& name = node.attrs.text("name");
      const TensorType& stored = weights.at(name).type;
      if (const ValueType& written = graph.value(graph.result(id)).type; written != ValueType::of(stored))
        throw Error(ErrorCode::invalid_model, "weight " + name,
                    "is " + print(written) + " in the text and " + to_string(stored) + " in the model");
    }
}

// Before anything takes memory for what the text says of a cache.
void check_caches(const Module& module, const std::vector<CacheSpec>& caches) {
  for (const Graph& graph : module.graphs)
    for (NodeId id : graph.order()) {
      const Node& node = graph.node(id);
      if (node.attrs.has("layer")) cache_of(*node.op, node.attrs, node.from.path, caches);
    }
}

Module read_text(const std::filesystem::path& path) {
  const std::shared_ptr<MappedFile> file = MappedFile::open(path);
  const auto bytes = file->bytes();
  return parse_module({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path.string());
}

// The path itself, or the texts in a folder.
std::set<std::filesystem::path> texts_at(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) return {path};
  std::set<std::filesystem::path> texts;
  for (std::filesystem::directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().extension() == ".cir") texts.insert(entry->path());
  return texts;
}

// A text, or the texts of a folder as one.
Module read_texts(const std::filesystem::path& path) {
  std::optional<Module> module;
  for (const std::filesystem::path& text : texts_at(path)) {
    Module part = read_text(text);
    if (module && part.stage != module->stage)
      throw Error(ErrorCode::invalid_model, text.string(), "stands after another pass than the texts beside it");
    if (!module)
      module = std::move(part);
    else
      std::ranges::move(part.graphs, std::back_inserter(module->graphs));
  }
  if (!module || module->graphs.empty()) throw Error(ErrorCode::invalid_model, path.string(), "holds no graph");
  return std::move(*module);
}

Module initial_module(const Compilation& c) {
  if (c.options.resume_from.empty()) return build_model(c.model.config, c.model.weights);
  Module module = read_texts(c.options.resume_from);
  verify(module);
  check_weights(module, c.model.weights);
  check_caches(module, c.caches);
  return module;
}

std::vector<const Pass*> pipeline_of(const CompileOptions& o) {
  std::vector<const Pass*> pipeline(default_pipeline().begin(), default_pipeline().end());
  if (!o.fuse) std::erase_if(pipeline, [](const Pass* pass) { return pass->fusion; });
  return pipeline;
}

// Goes on from where the module stands, and appends the traces.
void run_graph_passes(Compilation& c, Module& module, const std::string& stop_after, ThreadPool& pool) {
  const CompileOptions& o = c.options;
  const PassContext context{.target = {.last_level_cache_bytes = static_cast<int64_t>(o.machine.l3_bytes),
                                       .numerics = o.numerics,
                                       .multiplied = packed_formats("rows16"),
                                       .screened = packed_formats("planes16")},
                            .weights = &c.model.weights};
  PassRunOptions run{.stop_after = stop_after, .record_text = o.record_text};
  if (o.validate) run.validator = reference_validator(c.model.weights, &pool);
  for (PassTrace& trace : run_passes(pipeline_of(o), module, context, run)) {
    check_finite(trace);
    c.passes.push_back(std::move(trace));
  }
}

// A text may hold the graph of one mode only, as an artifact's texts do: the other is the model's own. It is brought to where the text
// stands, so that both go on together and every pass leaves one trace.
void add_other_mode(Compilation& c, ThreadPool& pool) {
  Module& module = c.module;
  const bool prefill = module.find("prefill"), decode = module.find("decode");
  if (prefill == decode || module.find("model")) return;
  Module own = build_model(c.model.config, c.model.weights);
  own.graphs.front().set_name(prefill ? "decode" : "prefill");
  if (std::ranges::count(pipeline_of(c.options), module.stage, &Pass::name)) run_graph_passes(c, own, module.stage, pool);
  std::ranges::move(own.graphs, std::back_inserter(module.graphs));
}

// Where the passes ran on a text that holds only a part of a model.
void check_plannable(const Compilation& c) {
  for (const char* mode : {"prefill", "decode"})
    if (!c.module.find(mode))
      throw Error(ErrorCode::invalid_model, c.options.resume_from.string(),
                  std::string("has no graph @") + mode + " to plan, and no @model to make it from");
}

void check_stop(const CompileOptions& options) {
  if (std::vector<std::string> names = pass_names(); !options.stop_after.empty() && !std::ranges::count(names, options.stop_after))
    throw Error(ErrorCode::invalid_argument, "--stop-after " + options.stop_after,
                fmt::format("no such pass; there are {}", fmt::join(names, ", ")));
}

// A text to go on from must still have the last pass before it.
void check_resumed(const Module& module, const CompileOptions& options) {
  if (options.resume_from.empty()) return;
  const std::vector<std::string> names = pass_names();
  const auto place = [&](const std::string& name) { return std::ranges::find(names, name) - names.begin(); };
  const std::string where = options.resume_from.string();
  if (!module.stage.empty() && !options.stop_after.empty() && place(options.stop_after) <= place(module.stage))
    throw Error(ErrorCode::invalid_argument, "--stop-after " + options.stop_after,
                "is not after " + module.stage + ", where " + where + " stands");
}

// From the model, or from a text, to where the options say.
void lower(Compilation& c, ThreadPool& pool) {
  c.module = initial_module(c);
  check_resumed(c.module, c.options);
  throw_if_set(c.options.cancel);
  const bool plans = c.options.stop_after.empty() || is_planning_pass(c.options.stop_after);
  if (is_planning_pass(c.module.stage)) c.module.stage = default_pipeline().back()->name;
  if (plans) add_other_mode(c, pool);
  run_graph_passes(c, c.module, plans ? "" : c.options.stop_after, pool);
  if (!plans) return;
  check_plannable(c);
  run_planning_passes(c, pool);
}

}  // namespace

Symbols decode_symbols(const CompileOptions& options) {
  const int64_t rows = options.max_decode_sequences * (1 + options.max_draft_tokens);
  return {rows, options.max_decode_sequences, rows};
}

std::vector<std::string> pass_names() {
  std::vector<std::string> names;
  for (const Pass* pass : default_pipeline()) names.emplace_back(pass->name);
  for (const PlanningPass& pass : planning_passes()) names.emplace_back(pass.name);
  return names;
}

Compilation compile(const std::filesystem::path& model, const CompileOptions& options, ThreadPool& pool) {
  check_stop(options);
  if (is_artifact(model)) throw Error(ErrorCode::invalid_argument, model.string(), "is a compiled artifact; a checkpoint is wanted here");
  return compile(import_model(model), options, pool);
}

Compilation compile(ImportedModel model, const CompileOptions& options, ThreadPool& pool) {
  check_stop(options);
  const ThreadPool::CancelScope scope(pool, options.cancel);
  Compilation c{.model = std::move(model)};
  c.options = resolve(options, c.model.config);
  c.caches = cache_specs(c.model.config, *c.options.kv_dtype);
  try {
    lower(c, pool);
  } catch (const Error& error) {
    const std::string text = options.resume_from.string();
    if (text.empty() || error.code() != ErrorCode::invalid_model || error.where().starts_with(text)) throw;
    throw Error(error.code(), text + ": " + error.where(), error.message());
  }
  return c;
}

}  // namespace hyalite
