#include "cli/model_options.h"

#include <filesystem>
#include <ostream>

#include "base/error.h"
#include "device/calibration.h"
#include "device/thread_remark.h"
#include "ops/paged_cache.h"

namespace hyalite {
namespace {

IsaLevel best_level(const Machine& machine) {
  IsaLevel best = IsaLevel::scalar;
  for (const IsaLevel level : isa_levels())
    if (has_level(machine, level)) best = level;
  return best;
}

std::optional<Numerics> numerics_unless_auto(const std::string& name) {
  if (name == "auto") return std::nullopt;
  if (const std::optional<Numerics> known = numerics_named(name)) return known;
  throw Error(ErrorCode::invalid_argument, "--numerics " + name, "must be auto, deterministic, fast or reference");
}

std::optional<DType> kv_dtype_named(const std::string& name) {
  if (name == "auto") return std::nullopt;
  auto dtype = dtype_named(name);
  if (!dtype || !is_cache_format(*dtype))
    throw Error(ErrorCode::invalid_argument, "--kv-dtype " + name, "must be auto, f32, f16, bf16 or q8_0");
  return dtype;
}

std::shared_ptr<const TuneRecord> tuned(const Machine& machine, const VerbContext& context) {
  const std::string path = tune_file(context);
  if (path.empty()) return nullptr;
  const StoredTuneRecord stored = load_tune_record(path, tune_origin(machine, HYALITE_VERSION));
  if (!stored.remark.empty()) print_remarks({stored.remark}, context);
  return stored.record;
}

}  // namespace

void add_model_options(const OptionSet& set, ModelOptions& o) {
  set.add("model", o.model, "GGUF file, Hugging Face directory, or compiled artifact").required();
  OptionSet execution = set.group("Execution");
  execution.add("--backend,--target", o.backend, "Where to run: cpu");
  execution.add("--threads", o.threads, "Threads; 0: one per physical core").range(0, 1024);
  execution.add("--isa", o.isa, "Newest instruction set to use: auto, " + isa_level_names());
  execution.add("--max-seq", o.max_seq, "Longest sequence in tokens; 0: as needed, at most the model's context").range(0, 1 << 24);
  execution.add("--prefill-chunk", o.prefill_chunk, "Most prompt tokens in one step; never changes results").range(1, 8192);
  OptionSet numerics = set.group("Numerics");
  numerics.add("--numerics", o.numerics, "auto (an artifact's own, else deterministic), deterministic, fast, or reference (scalar fp32)");
  numerics.add("--kv-dtype", o.kv_dtype, "KV cache format: auto (f16; f32 under reference), f32, f16, bf16, q8_0 (int8)");
}

Machine this_machine(const VerbContext& context) {
  Machine machine = detect_machine();
  std::error_code ignored;
  if (context.machine_file.empty() || !std::filesystem::exists(context.machine_file, ignored)) return machine;
  const StoredCalibration stored = load_calibration(context.machine_file, machine);
  if (stored.calibration) return with_calibration(std::move(machine), *stored.calibration);
  if (!context.quiet) context.err << stored.remark << '\n';
  return machine;
}

std::string tune_file(const VerbContext& context) {
  if (context.machine_file.empty()) return {};
  return (std::filesystem::path(context.machine_file).parent_path() / "tune.json").string();
}

void make_machine_folder(const VerbContext& context) {
  if (context.machine_file.empty())
    throw Error(ErrorCode::io, "figures of this machine", "neither XDG_CACHE_HOME nor HOME says where to keep them");
  const std::filesystem::path folder = std::filesystem::path(context.machine_file).parent_path();
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw Error(ErrorCode::io, folder.string(), "cannot make the directory: " + error.message());
}

CompileOptions compile_options(const ModelOptions& o, const VerbContext& context) {
  if (o.backend != "cpu") throw Error(ErrorCode::invalid_argument, "--backend " + o.backend, "this build has the backend cpu only");
  CompileOptions c;
  Machine machine = this_machine(context);
  std::optional<IsaLevel> level = o.isa == "auto" ? best_level(machine) : isa_level_named(o.isa);
  if (!level) throw Error(ErrorCode::invalid_argument, "--isa " + o.isa, "must be auto or one of " + isa_level_names());
  c.isa = *level;
  c.threads = o.threads ? o.threads : machine.cores;
  c.tuned = tuned(machine, context);
  c.machine = restrict_isa(std::move(machine), *level);
  const std::optional<Numerics> numerics = numerics_unless_auto(o.numerics);
  c.numerics = numerics.value_or(Numerics::deterministic);
  c.any_numerics = !numerics;
  c.kv_dtype = kv_dtype_named(o.kv_dtype);
  c.max_symbols.tokens = o.prefill_chunk;
  c.max_positions = o.max_seq;
  c.cancel = &context.interrupted;
  return c;
}

std::shared_ptr<ModelPlan> load(const ModelOptions& options, const CompileOptions& compile, const VerbContext& context) {
  if (const std::string remark = remark_on_threads(compile.threads, compile.machine); !remark.empty()) print_remarks({remark}, context);
  ThreadPool pool(compile.threads);
  std::shared_ptr<ModelPlan> model = load_model(options.model, compile, pool);
  print_remarks(model->remarks, context);
  return model;
}

void print_remarks(const std::vector<std::string>& remarks, const VerbContext& context) {
  if (context.quiet) return;
  for (const std::string& remark : remarks) context.err << "remark: " << remark << '\n';
}

}  // namespace hyalite
