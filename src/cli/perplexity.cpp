#include "workbench/perplexity.h"

#include <fmt/format.h>
#include <unistd.h>

#include <iostream>

#include "base/error.h"
#include "base/progress.h"
#include "cli/model_options.h"
#include "cli/prompt.h"
#include "cli/verb.h"
#include "compile/artifact.h"

namespace hyalite {
namespace {

constexpr int64_t kLogitsRows = 64;  // logits of a large vocabulary take megabytes a row

struct Options {
  ModelOptions model;
  std::string file;
  int64_t context = 512;
};

int run(const Options& o, VerbContext& context) {
  const std::string text = read_text_file(o.file);
  CompileOptions compile = compile_options(o.model, context);
  compile.max_symbols.logits_rows = kLogitsRows;
  if (compile.max_positions == 0 && !is_artifact(o.model.model)) compile.max_positions = o.context;
  std::shared_ptr<ModelPlan> model = load(o.model, compile);
  if (o.context > model->prefill.max_positions)  // an artifact, or --max-seq
    throw Error(ErrorCode::invalid_argument, "--ctx",
                fmt::format("{} tokens, the context holds {}", o.context, model->prefill.max_positions));
  Tokenizer tokenizer(model->tokenizer);
  Engine engine(model, tokenizer, {compile.threads, o.context, 1, o.model.prefill_chunk});
  std::vector<int32_t> ids = tokenizer.encode(text, {.add_special = true});
  SteadyClock clock;
  Progress progress("windows", ids.size() / o.context, std::cerr, clock, {.shown = !context.quiet && isatty(STDERR_FILENO)});
  PerplexityResult r = measure_perplexity(
      engine, ids, o.context, [&] { progress.advance(1); }, &context.interrupted);
  Json json = {
      {"perplexity", r.perplexity}, {"standard_error", r.standard_error}, {"tokens", r.tokens}, {"windows", r.windows}, {"ctx", o.context}};
  if (context.json)
    context.out << json.dump(1) << '\n';
  else
    context.out << fmt::format("perplexity {:.4f} +/- {:.4f} over {} tokens in {} windows of {}\n", r.perplexity, r.standard_error,
                               r.tokens, r.windows, o.context);
  return 0;
}

VerbAction setup(CLI::App& app) {
  auto o = std::make_shared<Options>();
  add_model_options(app, o->model);
  app.add_option("--file", o->file, "Text to score")->required()->group("Measurement");
  app.add_option("--ctx", o->context, "Tokens in a window; the second half of each is scored")
      ->check(CLI::Range(4, 1 << 24))
      ->group("Measurement");
  return [o](VerbContext& context) { return run(*o, context); };
}

}  // namespace

extern const Verb verb_perplexity{"perplexity", "Measure", "Perplexity of a text, counted as llama.cpp counts it", setup};

}  // namespace hyalite
