#include "compile/compiler.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "base/cancellation.h"
#include "base/clock.h"
#include "base/error.h"
#include "compile/artifact.h"
#include "ir/parser.h"
#include "ir/printer.h"
#include "models/model_builder.h"
#include "passes/pipelines.h"
#include "passes/validator.h"

namespace hyalite {
namespace {

constexpr std::array kPlanningPasses = {"kernel-selection", "scheduling", "memory-planning"};

bool is_planning_pass(std::string_view name) {
  return std::ranges::count(kPlanningPasses, name) > 0;
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
void check_weights(const Module& module, const WeightStore& weights, const std::string& where) {
  for (const Graph& graph : module.graphs)
    for (NodeId id : graph.order()) {
      const Node& node = graph.node(id);
      if (node.op->name != "weight") continue;
      const std::string& name = node.attrs.text("name");
      const TensorType& stored = weights.at(name).type;
      if (const ValueType& written = graph.value(graph.result(id)).type; written != ValueType::of(stored))
        throw Error(ErrorCode::invalid_model, where + ": weight " + name,
                    "is " + print(written) + " in the text and " + to_string(stored) + " in the model");
    }
}

Module initial_module(const Compilation& c) {
  if (c.options.resume_from.empty()) return build_model(c.model.config, c.model.weights);
  std::shared_ptr<MappedFile> file = MappedFile::open(c.options.resume_from);
  auto bytes = file->bytes();
  const std::string where = c.options.resume_from.string();
  Module module = parse_module({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, where);
  check_weights(module, c.model.weights, where);
  return module;
}

void check_finite(const PassTrace& trace) {
  if (trace.max_abs_error && !std::isfinite(*trace.max_abs_error))
    throw Error(ErrorCode::non_finite_logits, "pass " + trace.name, "cannot be validated: the logits are not all finite");
}

void run_graph_passes(Compilation& c, ThreadPool& pool) {
  const CompileOptions& o = c.options;
  const PassContext context{.target = {.last_level_cache_bytes = static_cast<int64_t>(o.machine.l3_bytes),
                                       .numerics = o.numerics,
                                       .multiplied = packed_formats("rows16"),
                                       .screened = packed_formats("planes16")},
                            .weights = &c.model.weights};
  PassRunOptions run{.record_text = o.record_text};
  if (!is_planning_pass(o.stop_after)) run.stop_after = o.stop_after;
  if (o.validate) run.validator = reference_validator(c.model.weights, &pool);
  if (is_planning_pass(c.module.stage)) c.module.stage = default_pipeline().back()->name;
  std::vector<const Pass*> pipeline(default_pipeline().begin(), default_pipeline().end());
  if (!o.fuse) std::erase_if(pipeline, [](const Pass* pass) { return pass->name.ends_with("-fusion"); });
  c.passes = run_passes(pipeline, c.module, context, run);
  for (const PassTrace& trace : c.passes) check_finite(trace);
}

PlanOptions plan_options(const Compilation& c, bool decode) {
  const CompileOptions& o = c.options;
  PlanOptions options{.numerics = std::string(name_of(o.numerics)),
                      .machine = o.machine,
                      .isa = std::string(name_of(o.isa)),
                      .max_symbols = o.max_symbols,
                      .max_positions = o.max_positions};
  if (decode) options.max_symbols = decode_symbols(o);
  return options;
}

void remark_variants(const ExecutionPlan& plan, PassTrace& trace) {
  std::map<std::string_view, int> counts;
  for (const PlanStep& step : plan.steps) ++counts[step.variant->name];
  for (const auto& [name, count] : counts)
    trace.remarks.push_back({Remark::Kind::matched, "@" + plan.mode, fmt::format("{} x {}", name, count)});
}

void remark_memory(const ExecutionPlan& plan, PassTrace& trace) {
  int64_t unshared = 0;
  for (const PlanStep& step : plan.steps)
    for (const PlanOperand& output : step.outputs)
      if (output.kind == PlanOperand::Kind::arena) unshared += bytes_of(output.type.tensor, plan.max_symbols);
  trace.remarks.push_back({Remark::Kind::note, "@" + plan.mode,
                           fmt::format("arena {:.2f} MB for {:.2f} MB of activations; workspace {:.2f} MB", plan.arena_bytes / 1e6,
                                       unshared / 1e6, plan.workspace_bytes / 1e6)});
}

double root_mean_square(const std::vector<float>& values) {
  double sum = 0;
  for (float value : values) sum += double{value} * value;
  return std::sqrt(sum / static_cast<double>(values.size()));
}

std::vector<float> minus(std::vector<float> a, const std::vector<float>& b) {
  std::ranges::transform(a, b, a.begin(), std::minus<>());
  return a;
}

// Plans show in schedules, not in graphs: no node changes.
class PlanningPasses {
 public:
  PlanningPasses(Compilation& c, ThreadPool& pool) : c_(c) {
    if (measures()) logits_ = reference_validator(c.model.weights, &pool)(c.module);
  }

  // Up to the one to stop after.
  void run() {
    pass("kernel-selection", [&](std::optional<ExecutionPlan>& plan, const char* mode, PassTrace& trace) {
      const Graph* graph = c_.module.find(mode);
      if (!graph) return;
      plan = select_kernels(*graph, c_.caches, plan_options(c_, std::string_view(mode) == "decode"));
      remark_variants(*plan, trace);
    });
    if (c_.options.stop_after == c_.module.stage) return;
    pass("scheduling", [&](std::optional<ExecutionPlan>& plan, const char*, PassTrace& trace) {
      if (!plan) return;
      const int moved = schedule_steps(*plan);
      trace.remarks.push_back(
          {Remark::Kind::note, "@" + plan->mode, fmt::format("{} steps in order, {} moved", plan->steps.size(), moved)});
    });
    if (c_.options.stop_after == c_.module.stage) return;
    pass("memory-planning", [&](std::optional<ExecutionPlan>& plan, const char*, PassTrace& trace) {
      if (!plan) return;
      place_activations(*plan);
      remark_memory(*plan, trace);
    });
  }

 private:
  bool measures() const { return c_.options.validate && c_.options.plan_validator; }

  // Times one pass over the plans at hand, measures it where asked, and writes its trace entry.
  template <class F>
  void pass(const char* name, F&& body) {
    throw_if_set(c_.options.cancel);
    PassTrace trace{.name = name};
    for (const Graph& graph : c_.module.graphs) trace.nodes_before += graph.node_count();
    trace.nodes_after = trace.nodes_before;
    const Stopwatch watch;
    for (auto* plan : {&c_.prefill, &c_.decode}) body(*plan, plan == &c_.prefill ? "prefill" : "decode", trace);
    trace.ms = watch.ms();
    c_.module.stage = name;
    if (measures()) measure(trace);
    c_.passes.push_back(std::move(trace));
  }

  void measure(PassTrace& trace) {
    std::vector<float> logits = c_.options.plan_validator(c_);
    if (logits.empty()) {
      trace.remarks.push_back({Remark::Kind::note, "", "not measured: the plans are too small for the two sequences of the validation"});
      return;
    }
    trace.max_abs_error = logits_distance(logits_, logits);
    check_finite(trace);
    if (*trace.max_abs_error > 0)
      trace.remarks.push_back({Remark::Kind::note, "",
                               fmt::format("its rounding changes logits of {:.2g} by {:.2g} (root mean squares)", root_mean_square(logits_),
                                           root_mean_square(minus(logits, logits_)))});
    logits_ = std::move(logits);
  }

  Compilation& c_;
  std::vector<float> logits_;  // before the next pass
};

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

}  // namespace

Symbols decode_symbols(const CompileOptions& options) {
  const int64_t rows = options.max_decode_sequences * (1 + options.max_draft_tokens);
  return {rows, options.max_decode_sequences, rows};
}

std::vector<std::string> pass_names() {
  std::vector<std::string> names;
  for (const Pass* pass : default_pipeline()) names.emplace_back(pass->name);
  names.insert(names.end(), kPlanningPasses.begin(), kPlanningPasses.end());
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
  c.module = initial_module(c);
  check_resumed(c.module, c.options);
  throw_if_set(c.options.cancel);
  run_graph_passes(c, pool);
  bool stopped = !options.stop_after.empty() && !is_planning_pass(options.stop_after);
  if (!stopped) PlanningPasses(c, pool).run();
  return c;
}

}  // namespace hyalite
