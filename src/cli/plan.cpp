#include <fmt/format.h>

#include <iostream>

#include "base/error.h"
#include "base/page_memory.h"
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
          {"devices",
           {{{"device", "cpu"},
             {"total", plan.total()},
             {"memory_bytes", machine.memory_bytes},
             {"numa_nodes", machine.numa_nodes},
             {"huge_pages", huge_page_policy()}}}},
          {"max_seq", kv.max_tokens},
          {"max_batch", kv.max_sequences},
          {"fits", plan.total() <= static_cast<int64_t>(machine.memory_bytes)}};
}

void print_table(const Json& json, bool whole_context, std::ostream& out) {
  Table table({"part", ">MB"});
  for (const auto& [name, bytes] : json["bytes"].items()) table.row({name, fmt::format("{:.1f}", bytes.get<double>() / 1e6)});
  table.print(out);
  out << fmt::format("{} sequence(s) of {} tokens{}: {} on this machine\n", json["max_batch"].get<int64_t>(),
                     json["max_seq"].get<int64_t>(),
                     whole_context ? ", the whole context (without --max-seq, run takes what its prompt and answer need)" : "",
                     json["fits"].get<bool>() ? "fits" : "does not fit");
  const Json& device = json["devices"][0];
  out << fmt::format("{} NUMA node(s), huge pages: {}\n", device["numa_nodes"].get<int>(), device["huge_pages"].get<std::string>());
}

MemoryPlan plan_of(const Options& o, const CompileOptions& compile_for, KvPoolOptions& kv) {
  auto plan = [&](const ExecutionPlan& prefill, const ExecutionPlan& decode, const TokenizerSpec& spec, bool mapped) {
    const Tokenizer tokenizer(spec);  // so that the process is as large as a run's
    kv.max_tokens = o.model.max_seq > 0 ? o.model.max_seq : prefill.max_positions;
    kv.max_step_tokens = prefill.max_symbols.tokens;
    return plan_memory(prefill, decode, mapped, kv);
  };
  if (is_artifact(o.model.model)) {
    const ArtifactPlans plans = load_artifact_plans(o.model.model, compile_for);
    if (const int64_t most = plans.decode.max_symbols.sequences; o.max_batch > most)
      throw Error(ErrorCode::invalid_argument, "--max-batch", fmt::format("the artifact was compiled for {} sequences", most));
    return plan(plans.prefill, plans.decode, plans.tokenizer, true);
  }
  ThreadPool pool(compile_for.threads);
  const Compilation compilation = compile(o.model.model, compile_for, pool);
  return plan(*compilation.prefill, *compilation.decode, compilation.model.tokenizer, false);
}

int run(const Options& o, VerbContext& context) {
  CompileOptions compile_for = compile_options(o.model, context);
  compile_for.max_decode_sequences = o.max_batch;
  compile_for.max_draft_tokens = o.draft_tokens;
  KvPoolOptions kv{.max_sequences = o.max_batch};
  const MemoryPlan plan = plan_of(o, compile_for, kv);
  const Json json = to_json(plan, kv, compile_for.machine);
  if (context.json)
    context.out << print_json(json) << '\n';
  else
    print_table(json, o.model.max_seq == 0, context.out);
  return 0;
}

VerbAction setup(const OptionSet& set) {
  auto o = std::make_shared<Options>();
  add_model_options(set, o->model);
  OptionSet execution = set.group("Execution");
  execution.add("--max-batch", o->max_batch, "Most sequences at once").range(1, 4096);
  execution.add("--draft-tokens", o->draft_tokens, "Most guesses a sequence in a step, for run --speculative").range(0, 255);
  return [o](VerbContext& context) { return run(*o, context); };
}

}  // namespace

extern const Verb verb_plan{"plan", "Compile and look inside", "Say what a model takes in memory, before loading it", setup};

}  // namespace hyalite
