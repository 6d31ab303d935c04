#include <iostream>

#include "base/error.h"
#include "cli/verb.h"
#include "importers/hf_config.h"
#include "workbench/tiny_model.h"

namespace hyalite {
namespace {

struct Options {
  std::string directory, family = "llama", config;
  uint64_t seed = 0;
};

int run(const Options& o, VerbContext& context) {
  const Json config = o.config.empty() ? tiny_config(o.family) : read_config_json(o.config);
  const TinyModelSummary summary = write_tiny_model(o.directory, config, o.seed);
  if (context.json)
    context.out << print_json({{"directory", o.directory},
                               {"model_type", config.at("model_type")},
                               {"seed", o.seed},
                               {"tensors", summary.tensors},
                               {"parameters", summary.parameters}})
                << '\n';
  else
    context.out << "wrote " << o.directory << ": " << summary.tensors << " tensors, " << summary.parameters << " parameters\n";
  return 0;
}

VerbAction setup(const OptionSet& set) {
  auto o = std::make_shared<Options>();
  const std::vector<std::string> families(tiny_families().begin(), tiny_families().end());
  set.add("directory", o->directory, "Where to write; a tiny model that is there already is replaced").required();
  Option family = set.add("--family", o->family, "llama, qwen2, qwen3 or gemma3").one_of(families);
  set.add("--config", o->config, "A config.json to fill with random weights, in place of a family's own").excludes(family);
  set.add("--seed", o->seed, "The same seed gives the same weights on every machine");
  return [o](VerbContext& context) { return run(*o, context); };
}

}  // namespace

extern const Verb verb_make_tiny{"make-tiny", "Models", "Write a tiny random checkpoint with a tokenizer, for tests and trials", setup};

}  // namespace hyalite
