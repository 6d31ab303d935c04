#include <fmt/format.h>

#include <iostream>

#include "base/error.h"
#include "cli/memory_plan.h"
#include "cli/model_options.h"
#include "cli/table.h"
#include "cli/verb.h"
#include "compile/artifact.h"

namespace hyalite {
namespace {

struct Options {
  ModelOptions model;
  int64_t max_batch = 1, draft_tokens = 0;
};

Json to_json(const MemoryPlan& plan, const KvPoolOptions& kv, const Machine& machine) {
  return {{"bytes",
           {{"weights", plan.weights},
            {"kv", plan.kv},
            {"activations", plan.activations},
            {"workspace", plan.workspace},
            {"process", plan.process},
            {"total", plan.total()}}},
          {"devices", {{{"device", "cpu"}, {"total", plan.total()}, {"memory_bytes", machine.memory_bytes}}}},
          {"max_seq", kv.max_tokens},
          {"max_batch", kv.max_sequences},
          {"fits", plan.total() <= static_cast<int64_t>(machine.memory_bytes)}};
}

void print_table(const Json& json, std::ostream& out) {
  Table table({"part", ">MB"});
  for (const auto& [name, bytes] : json["bytes"].items()) table.row({name, fmt::format("{:.1f}", bytes.get<double>() / 1e6)});
  table.print(out);
  out << fmt::format("{} sequence(s) of {} tokens: {} on this machine\n", json["max_batch"].get<int64_t>(), json["max_seq"].get<int64_t>(),
                     json["fits"].get<bool>() ? "fits" : "does not fit");
}

int run(const Options& o, VerbContext& context) {
  if (is_artifact(o.model.model))
    throw Error(ErrorCode::invalid_argument, o.model.model, "plan takes a checkpoint; `inspect --memory` shows an artifact's plan");
  CompileOptions compile_for = compile_options(o.model, context);
  compile_for.max_symbols.sequences = compile_for.max_symbols.logits_rows = compile_for.max_decode_sequences = o.max_batch;
  compile_for.max_draft_tokens = o.draft_tokens;
  ThreadPool pool(compile_for.threads);
  Compilation compilation = compile(o.model.model, compile_for, pool);
  Tokenizer tokenizer(compilation.model.tokenizer);  // so that the process is as large as a run's
  KvPoolOptions kv{compilation.options.max_positions, o.max_batch, compilation.options.max_symbols.tokens};
  Json json = to_json(plan_memory(compilation, kv), kv, compile_for.machine);
  if (context.json)
    context.out << json.dump(1) << '\n';
  else
    print_table(json, context.out);
  return 0;
}

VerbAction setup(CLI::App& app) {
  auto o = std::make_shared<Options>();
  add_model_options(app, o->model);
  app.add_option("--max-batch", o->max_batch, "Most sequences at once")->check(CLI::Range(1, 4096))->group("Execution");
  app.add_option("--draft-tokens", o->draft_tokens, "Most guesses a sequence in a step, for run --speculative")
      ->check(CLI::Range(0, 255))
      ->group("Execution");
  return [o](VerbContext& context) { return run(*o, context); };
}

}  // namespace

extern const Verb verb_plan{"plan", "Compile and look inside", "Say what a model takes in memory, before loading it", setup};

}  // namespace hyalite
