#include <fmt/format.h>

#include <iostream>

#include "base/error.h"
#include "cli/model_options.h"
#include "cli/packed_options.h"
#include "cli/table.h"
#include "cli/verb.h"
#include "compile/artifact.h"
#include "compile/load.h"
#include "compile/trace_json.h"
#include "workbench/plan_validator.h"

namespace hyalite {
namespace {

struct Options {
  ModelOptions model;
  PackedChoice packed;
  std::string output, stop_after, resume_from;
  int64_t max_batch = 8, draft_tokens = 0;
  bool validate = false;
};

void print_table(const std::vector<PassTrace>& passes, std::ostream& out) {
  Table table({"pass", "changed", ">nodes before", ">after", ">ms", ">max abs error"});
  for (const PassTrace& pass : passes)
    table.row({pass.name, pass.changed ? "yes" : "", std::to_string(pass.nodes_before), std::to_string(pass.nodes_after),
               fmt::format("{:.2f}", pass.ms), pass.max_abs_error ? fmt::format("{:.1e}", *pass.max_abs_error) : "-"});
  table.print(out);
}

// `report` is filled where weights are rounded.
Compilation compiled(const Options& o, const CompileOptions& options, VerbContext& context, ThreadPool& pool, PackedReport& report) {
  if (o.packed.type.empty()) return compile(o.model.model, options, pool);
  packed_options(o.packed);  // refuses before anything is read
  if (is_artifact(o.model.model))
    throw Error(ErrorCode::invalid_argument, o.model.model, "is a compiled artifact; a checkpoint is wanted here");
  ImportedModel model = import_model(o.model.model);
  report = quantize_packed(model, o.packed, options, context, pool);
  return compile(std::move(model), options, pool);
}

int run(const Options& o, VerbContext& context) {
  CompileOptions compile_for = compile_options(o.model, context);
  compile_for.max_decode_sequences = o.max_batch;
  compile_for.max_draft_tokens = o.draft_tokens;
  compile_for.record_text = true;
  compile_for.validate = o.validate;
  compile_for.resume_from = o.resume_from;
  compile_for.stop_after = o.stop_after;
  ThreadPool pool(compile_for.threads);
  compile_for.plan_validator = plan_validator(pool);
  PackedReport report;
  Compilation compilation = compiled(o, compile_for, context, pool, report);
  write_artifact(compilation, o.output, pool);
  if (context.json) {
    Json json = {{"output", o.output}, {"stage", compilation.module.stage}, {"passes", traces_to_json(compilation.passes)}};
    json["remarks"] = load_remarks(compilation);
    if (!o.packed.type.empty()) json["quantisation"] = report_to_json(report);
    context.out << print_json(json) << '\n';
    return 0;
  }
  print_remarks(load_remarks(compilation), context);
  print_table(compilation.passes, context.out);
  if (!o.packed.type.empty()) context.out << report_to_line(report) << '\n';
  context.out << "wrote " << o.output << '\n';
  return 0;
}

VerbAction setup(const OptionSet& set) {
  auto o = std::make_shared<Options>();
  add_model_options(set, o->model);
  set.get("model").description("GGUF file or Hugging Face directory");
  OptionSet compilation = set.group("Compilation");
  compilation.add("-o,--output", o->output, "Directory of the artifact").required();
  compilation.add("--max-batch", o->max_batch, "Most sequences in a step").range(1, 4096);
  compilation.add("--draft-tokens", o->draft_tokens, "Most guesses a sequence in a step, for run --speculative").range(0, 255);
  OptionSet quantisation = set.group("Quantisation");
  const Option type = quantisation.add("--quant", o->packed.type, "Round the matrices first: int8, int4 or int4_awq; default: as they are");
  quantisation.add("--calibrate", o->packed.calibrate, "Text whose activations int4_awq scales the weights for; -: standard input")
      .needs(type);
  add_group_option(quantisation, o->packed).needs(type);
  compilation.add("--validate", o->validate,
                  "Record what every pass does to the logits: graph passes in the reference evaluator, plans as they run");
  compilation.add("--stop-after", o->stop_after, "Stop after this pass and leave its CacheIR text");
  compilation.add("--resume-from", o->resume_from, "Go on from this CacheIR text, or from the texts of this folder");
  return [o](VerbContext& context) { return run(*o, context); };
}

}  // namespace

extern const Verb verb_compile{"compile", "Compile and look inside",
                               "Compile a model to an artifact: graphs, diffs of every pass, plans, weights", setup};

}  // namespace hyalite
