#include "workbench/quantize/sensitivity.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <iostream>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/progress.h"
#include "cli/model_options.h"
#include "cli/packed_options.h"
#include "cli/prompt.h"
#include "cli/table.h"
#include "cli/verb.h"
#include "compile/artifact.h"
#include "text/tokenizer.h"
#include "workbench/packed/packed_checkpoint.h"

namespace hyalite {
namespace {

namespace fs = std::filesystem;

struct Options {
  ModelOptions model;
  PackedChoice packed;  // group size; the rest is filled from below
  std::string out, type, recipe, calibrate, rounding = "search";
  bool rounding_given = false;
  int64_t context = 512;
  double target_bits = 0;
  std::string candidates = "q2_k,q3_k,iq4_nl,iq4_xs,q4_k,q5_0,q5_k,q6_k,q8_0", write_recipe;
};

// What calibration found out, and what it cost.
struct Calibration {
  std::vector<int32_t> ids;  // of the text
  int64_t tokens = 0;        // that were run
  ActivationStatistics statistics;
};

// `out` is a file of the model or the directory of one.
void check_not_the_model(const fs::path& out, const ImportedModel& model) {
  std::error_code error;
  for (const auto& file : model.files) {
    const fs::path path = fs::absolute(file->path(), error);
    if (fs::equivalent(path, out, error) || fs::equivalent(path.parent_path(), out, error))
      throw Error(ErrorCode::invalid_argument, out.string(), "is the model itself; name another place");
  }
}

// People rerun a quantisation into the same file; anything else that is there is not ours to replace.
void check_target(const fs::path& out, const GgufCheckpoint& checkpoint) {
  std::error_code error;
  if (!fs::exists(out, error)) return;
  check_not_the_model(out, checkpoint.model);
  char magic[4] = {};
  if (fs::is_regular_file(out, error)) std::ifstream(out, std::ios::binary).read(magic, sizeof magic);
  if (std::string_view(magic, sizeof magic) != "GGUF")
    throw Error(ErrorCode::invalid_argument, out.string(), "is there already and is no GGUF file; it is not replaced");
}

Calibration calibrate(const Options& o, const TokenizerSpec& spec, VerbContext& context) {
  if (o.calibrate.empty()) return {};
  Calibration calibration{
      Tokenizer(spec).encode(read_text_file(o.calibrate, context.interrupted), EncodeOptions{.add_special = true}), 0, {}};
  const int64_t windows = static_cast<int64_t>(calibration.ids.size()) / o.context;
  SteadyClock clock;
  Progress progress("calibration", windows, std::cerr, clock, {.shown = !context.quiet && isatty(STDERR_FILENO)});
  calibration.tokens = windows * o.context;
  calibration.statistics = measure_activations(import_model(o.model.model), calibration.ids, o.context, compile_options(o.model, context),
                                               [&] { progress.advance(1); });
  return calibration;
}

// The matrices by what they suffer; empty where no size is asked for.
std::vector<TensorSensitivity> sweep(const Options& o, const GgufCheckpoint& checkpoint, const Calibration& calibration,
                                     VerbContext& context) {
  if (o.target_bits == 0) return {};
  SweepOptions options{parse_types(o.candidates, "--candidates"), o.target_bits, o.context};
  const auto matrices = std::ranges::count(checkpoint.tensors, true, &GgufCheckpointTensor::is_matrix);
  SteadyClock clock;
  Progress progress("sensitivity", matrices, std::cerr, clock, {.shown = !context.quiet && isatty(STDERR_FILENO)});
  const QuantizeOptions quantize{o.rounding == "search", &calibration.statistics, &context.interrupted};
  return measure_sensitivity(checkpoint, options, calibration.ids, quantize, compile_options(o.model, context),
                             [&] { progress.advance(1); });
}

struct Result {
  const GgufCheckpoint& checkpoint;
  const std::vector<TensorChoice>& choices;
  const std::vector<TensorSensitivity>& sensitivity;
  std::vector<TensorReport> reports;
  uint64_t source_bytes = 0, bytes = 0, elements = 0;

  Result(const GgufCheckpoint& from, const std::vector<TensorChoice>& to, const std::vector<TensorSensitivity>& suffers)
      : checkpoint(from), choices(to), sensitivity(suffers) {
    for (size_t i = 0; i < choices.size(); ++i) {
      source_bytes += checkpoint.tensors[i].header.bytes();
      bytes += bytes_of(i);
      uint64_t of_tensor = 1;
      for (int64_t dim : checkpoint.tensors[i].header.dims) of_tensor *= static_cast<uint64_t>(dim);
      elements += of_tensor;
    }
  }
  uint64_t bytes_of(size_t i) const {
    GgufTensorHeader header = checkpoint.tensors[i].header;
    header.dtype = choices[i].dtype;
    return header.bytes();
  }
  double bits() const { return 8.0 * static_cast<double>(bytes) / static_cast<double>(elements); }
};

Json to_json(const Options& o, const Result& result, int64_t calibration_tokens) {
  Json tensors = Json::array();
  for (size_t i = 0; i < result.choices.size(); ++i) {
    const GgufTensorHeader& header = result.checkpoint.tensors[i].header;
    tensors.push_back({{"name", header.name},
                       {"shape", header.dims},
                       {"source_type", format_of(header.dtype).name},
                       {"type", format_of(result.choices[i].dtype).name},
                       {"bytes", result.bytes_of(i)},
                       {"error", result.reports[i].error},
                       {"note", result.choices[i].note}});
  }
  Json sensitivity = Json::array();
  for (const TensorSensitivity& tensor : result.sensitivity)
    sensitivity.push_back({{"tensor", tensor.tensor},
                           {"type", format_of(tensor.probe).name},
                           {"kl", tensor.probe_kl},
                           {"kl_per_mb_saved", tensor.kl_per_megabyte_saved()}});
  return {{"output", o.out},
          {"type", o.type},
          {"sensitivity", std::move(sensitivity)},
          {"calibration_tokens", calibration_tokens},
          {"source_bytes", result.source_bytes},
          {"bytes", result.bytes},
          {"bits_per_weight", result.bits()},
          {"remarks", result.checkpoint.model.remarks},
          {"tensors", std::move(tensors)}};
}

void print_sensitivity(const std::vector<TensorSensitivity>& tensors, std::ostream& out) {
  Table table({"most sensitive first", "as", ">KL", ">KL per MB saved"});
  for (const TensorSensitivity& tensor : tensors)
    table.row({tensor.tensor, std::string(format_of(tensor.probe).name), fmt::format("{:.6f}", tensor.probe_kl),
               fmt::format("{:.6f}", tensor.kl_per_megabyte_saved())});
  table.print(out);
  out << '\n';
}

void print_table(const Options& o, const Result& result, std::ostream& out) {
  if (!result.sensitivity.empty()) print_sensitivity(result.sensitivity, out);
  Table table({"tensor", "from", "to", ">MB", ">error", "note"});
  int kept = 0;
  for (size_t i = 0; i < result.choices.size(); ++i) {
    const GgufCheckpointTensor& tensor = result.checkpoint.tensors[i];
    if (!tensor.is_matrix) {
      ++kept;
      continue;
    }
    table.row({tensor.header.name, std::string(format_of(tensor.header.dtype).name), std::string(format_of(result.choices[i].dtype).name),
               fmt::format("{:.2f}", static_cast<double>(result.bytes_of(i)) / 1e6), fmt::format("{:.4f}", result.reports[i].error),
               result.choices[i].note});
  }
  table.print(out);
  out << fmt::format("{} other tensors as they were\nwrote {}: {:.1f} MB of weights, from {:.1f}; {:.2f} bits a weight\n", kept, o.out,
                     static_cast<double>(result.bytes) / 1e6, static_cast<double>(result.source_bytes) / 1e6, result.bits());
}

std::vector<RecipeRule> read_recipe(const std::string& path, const GgufCheckpoint& checkpoint, VerbContext& context) {
  if (path.empty()) return {};
  std::vector<RecipeRule> rules = parse_recipe(read_text_file(path, context.interrupted), path);
  std::vector<bool> used(rules.size());
  for (const GgufCheckpointTensor& tensor : checkpoint.tensors)
    if (tensor.is_matrix)
      if (const auto rule = rule_for(rules, tensor.canonical)) used[*rule] = true;
  for (size_t i = 0; i < rules.size(); ++i)
    if (!used[i] && !context.quiet) context.err << path << ": " << rules[i].pattern << " is the first match of no tensor\n";
  return rules;
}

void add_keys(const Options& o, const Mixture& mixture, int64_t calibration_tokens, GgufPairs& pairs) {
  pairs.set_u32("general.file_type", mixture.file_type);
  pairs.set_u32("general.quantization_version", 2);
  if (o.calibrate.empty()) return;
  pairs.set_string("quantize.imatrix.dataset", fs::path(o.calibrate).filename().string());
  pairs.set_u32("quantize.imatrix.chunks_count", static_cast<uint32_t>(calibration_tokens / o.context));
}

void check_options(const Options& o) {
  if (o.type.empty() && o.target_bits == 0) throw Error(ErrorCode::invalid_argument, "--type", "is missing; or give --target-bits");
  if (o.packed.group_given && !packed_type_named(o.type))
    throw Error(ErrorCode::invalid_argument, "--group-size", "has a use for int4 and int4_awq only");
  if (is_artifact(o.model.model))
    throw Error(ErrorCode::invalid_argument, o.model.model, "is a compiled artifact; a checkpoint is wanted here");
}

// Rules of the user go first, then those that meet the size.
std::vector<RecipeRule> all_rules(const Options& o, const GgufCheckpoint& checkpoint, const std::vector<TensorSensitivity>& sensitivity,
                                  VerbContext& context) {
  std::vector<RecipeRule> rules = read_recipe(o.recipe, checkpoint, context);
  if (o.target_bits == 0) return rules;
  const std::vector<RecipeRule> found = recipe_within(checkpoint, sensitivity, o.target_bits);
  rules.insert(rules.end(), found.begin(), found.end());
  if (!o.write_recipe.empty()) write_file_atomically(o.write_recipe, print_recipe(rules));
  return rules;
}

// int8, int4 and int4_awq: a directory that the importers read back.
int run_packed(const Options& o, VerbContext& context) {
  if (o.rounding_given) throw Error(ErrorCode::invalid_argument, "--rounding", "has a use for GGUF types only");
  if (!o.recipe.empty() || o.target_bits != 0)
    throw Error(ErrorCode::invalid_argument, "--type " + o.type, "takes no recipe and no size: all matrices get one format");
  PackedChoice choice = o.packed;
  choice.type = o.type;
  choice.calibrate = o.calibrate;
  const PackedOptions options = packed_options(choice);
  const CompileOptions machine = compile_options(o.model, context);
  ThreadPool pool(machine.threads);
  ImportedModel model = import_model(o.model.model);
  check_not_the_model(o.out, model);
  const PackedReport report = quantize_packed(model, choice, machine, context, pool);
  write_packed_checkpoint(model, options, o.out, &context.interrupted);
  print_remarks(model.remarks, context);
  if (context.json) {
    Json json = report_to_json(report);
    json.update({{"output", o.out}, {"type", o.type}, {"remarks", model.remarks}});
    context.out << print_json(json) << '\n';
    return 0;
  }
  Table table({"tensor", "from", "to", ">error"});
  for (const PackedTensor& tensor : report.tensors)
    table.row({tensor.name, std::string(format_of(tensor.from).name), std::string(format_of(tensor.to).name),
               fmt::format("{:.4f}", tensor.error)});
  table.print(context.out);
  context.out << report_to_line(report) << "\nwrote " << o.out << '\n';
  return 0;
}

int run(const Options& o, VerbContext& context) {
  check_options(o);
  if (packed_type_named(o.type)) return run_packed(o, context);
  const Mixture& mixture = mixture_named(o.type.empty() ? "q4_k_m" : o.type);
  GgufCheckpoint checkpoint = open_as_gguf(o.model.model);
  check_target(o.out, checkpoint);
  print_remarks(checkpoint.model.remarks, context);
  const Calibration calibration = calibrate(o, checkpoint.model.tokenizer, context);
  const std::vector<TensorSensitivity> sensitivity = sweep(o, checkpoint, calibration, context);
  const std::vector<RecipeRule> rules = all_rules(o, checkpoint, sensitivity, context);
  ThreadPool pool(compile_options(o.model, context).threads);
  const std::vector<TensorChoice> choices = choose_types(checkpoint, mixture, rules, pool, &context.interrupted);
  add_keys(o, mixture, calibration.tokens, checkpoint.pairs);
  Result result(checkpoint, choices, sensitivity);
  SteadyClock clock;
  Progress progress("quantising", result.source_bytes, std::cerr, clock, {.shown = !context.quiet && isatty(STDERR_FILENO)});
  const QuantizeOptions options{o.rounding == "search", &calibration.statistics, &context.interrupted};
  result.reports = write_quantized(checkpoint, choices, o.out, options, pool, [&](uint64_t bytes) { progress.advance(bytes); });
  if (context.json)
    context.out << print_json(to_json(o, result, calibration.tokens)) << '\n';
  else
    print_table(o, result, context.out);
  return 0;
}

VerbAction setup(const OptionSet& set) {
  auto o = std::make_shared<Options>();
  set.add("model", o->model.model, "GGUF file or Hugging Face directory").required();
  set.add("out", o->out, "GGUF file to write, or directory for int8, int4, int4_awq; one that is there already is replaced").required();
  OptionSet quantisation = set.group("Quantisation");
  quantisation.add(
      "--type", o->type,
      "f16, bf16, q8_0, q4_0, q4_k_m, iq4_xs, ...: a format, or a mixture of them as llama.cpp names it; int8, int4, int4_awq");
  add_group_option(quantisation, o->packed);
  quantisation.add("--recipe", o->recipe, "File of lines \"PATTERN TYPE\" that go before --type; the first that matches counts");
  const Option text = quantisation.add("--calibrate", o->calibrate, "Text to run the model on, for how much each column matters");
  quantisation.add("--ctx", o->context, "Tokens in a window of the calibration text").range(4, 1 << 24).needs(text);
  OptionSet mixed = set.group("Mixed by measurement");
  const Option size =
      mixed.add("--target-bits", o->target_bits, "Measure what each matrix suffers and choose formats for this many bits a weight")
          .real_range(1, 32)
          .needs(text);
  mixed.add("--candidates", o->candidates, "Formats to choose from").needs(size);
  mixed.add("--write-recipe", o->write_recipe, "File for the rules that were found").needs(size);
  quantisation.add("--rounding", o->rounding, "search (least weighted error) or nearest (bit for bit as gguf rounds)")
      .one_of({"search", "nearest"})
      .note_given(o->rounding_given);
  OptionSet execution = set.group("Execution");
  execution.add("--threads", o->model.threads, "Threads; 0: one per physical core").range(0, 1024);
  execution.add("--isa", o->model.isa, "Newest instruction set for the calibration: auto, " + isa_level_names());
  return [o](VerbContext& context) { return run(*o, context); };
}

}  // namespace

extern const Verb verb_quantize{"quantize", "Models", "Write a checkpoint as a GGUF file with other weight formats", setup};

}  // namespace hyalite
