#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "base/progress.h"
#include "cli/machine_json.h"
#include "cli/model_options.h"
#include "cli/verb.h"
#include "workbench/tune/tuner.h"

namespace hyalite {
namespace {

struct Options {
  ModelOptions model;
  int64_t max_batch = 8, samples = 15;
};

using Choices = std::map<std::string, TuneChoice, std::less<>>;

Choices measure(const Options& o, const ModelPlan& model, const CompileOptions& compile, const VerbContext& context) {
  ThreadPool pool(compile.threads);
  const SteadyClock clock;
  Progress progress("steps of the model", most_tune_runs(model, o.samples), std::cerr, clock,
                    {.shown = !context.quiet && isatty(STDERR_FILENO)});
  return tune(model, {.samples = o.samples, .machine = compile.machine, .cancel = &context.interrupted}, pool, progress);
}

// What is known already of other problems stays.
void keep(const std::string& path, const CompileOptions& compile, const Choices& choices) {
  TuneRecord record{.origin = tune_origin(detect_machine(), HYALITE_VERSION), .choices = choices};
  if (compile.tuned) record.choices.insert(compile.tuned->choices.begin(), compile.tuned->choices.end());
  save_tune_record(path, record);
}

// One entry for each variant of each problem.
Json variants_to_json(const Choices& choices) {
  Json list = Json::array();
  for (const auto& [problem, choice] : choices)
    for (const VariantTiming& timing : choice.timed)
      list.push_back({{"problem", problem},
                      {"name", timing.variant},
                      {"chosen", timing.variant == choice.variant},
                      {"default", &timing == &choice.timed.front()},
                      {"samples", timing.samples},
                      {"median_us", timing.median_us},
                      {"min_us", timing.min_us},
                      {"max_us", timing.max_us},
                      {"spread_us", timing.spread_us},
                      {"gain", choice.timed.front().median_us / timing.median_us}});
  return list;
}

void print(const Choices& choices, std::ostream& out) {
  for (const auto& [problem, choice] : choices) {
    out << problem << '\n';
    for (const VariantTiming& one : choice.timed)
      out << fmt::format("  {} {:<36}{:>10.1f} us  ({:.1f} to {:.1f}, {} samples)\n", one.variant == choice.variant ? '*' : ' ',
                         one.variant, one.median_us, one.min_us, one.max_us, one.samples);
  }
}

int run(const Options& o, VerbContext& context) {
  CompileOptions compile = compile_options(o.model, context);
  make_machine_folder(context);
  const std::string path = tune_file(context);
  compile.max_decode_sequences = o.max_batch;
  const std::shared_ptr<ModelPlan> model = load(o.model, compile, context);
  const Choices choices = measure(o, *model, compile, context);
  keep(path, compile, choices);
  const auto changed =
      std::ranges::count_if(choices, [](const auto& one) { return one.second.variant != one.second.timed.front().variant; });
  if (context.json) {
    context.out << print_json({{"model", model->info.name},
                               {"isa", name_of(model->prefill.isa)},
                               {"numerics", name_of(model->prefill.numerics)},
                               {"threads", compile.threads},
                               {"problems", choices.size()},
                               {"changed", changed},
                               {"variants", variants_to_json(choices)},
                               {"tune_file", path},
                               {"machine", machine_to_json(compile.machine)},
                               {"build", build_to_json()}})
                << '\n';
    return 0;
  }
  print(choices, context.out);
  context.out << fmt::format("{} problems, {} with another variant than the first usable one; kept in {}\n", choices.size(), changed, path);
  return 0;
}

VerbAction setup(const OptionSet& set) {
  auto o = std::make_shared<Options>();
  add_model_options(set, o->model);
  OptionSet measurement = set.group("Measurement");
  measurement.add("--max-batch", o->max_batch, "Most sequences of the decode steps to measure; one is measured too").range(1, 4096);
  measurement.add("--samples", o->samples, "Samples of each variant of a problem, at least").range(1, 10000);
  return [o](VerbContext& context) { return run(*o, context); };
}

}  // namespace

extern const Verb verb_tune{"tune", "Measure", "Find out which kernel variants are the fastest here; plans then use them", setup};

}  // namespace hyalite
