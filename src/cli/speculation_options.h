// Speculative decoding, shared by run and chat.
#pragma once

#include <string>

#include "base/json.h"
#include "cli/model_options.h"
#include "cli/option_set.h"
#include "engine/engine.h"

namespace hyalite {

struct SpeculationOptions {
  std::string method;        // "ngram", "draft"; empty: none, or draft where there is a draft model
  std::string draft_model;   // as MODEL
  int64_t draft_tokens = 0;  // 0: kDraftTokens
};

void add_speculation_options(const OptionSet& set, SpeculationOptions& options);

// Makes room for drafts in the plan that is about to be made. Throws Error{invalid_argument} naming the flag that lacks another.
void plan_speculation(const SpeculationOptions& options, CompileOptions& compile);

// Gives the engine its drafter; loads the draft model with the options of the model itself. `compile` went through plan_speculation.
void add_drafter(const SpeculationOptions& options, const CompileOptions& compile, const VerbContext& context, EngineOptions& engine);

// {drafted, accepted, acceptance_rate, steps}
Json speculation_to_json(const Timings& timings);

}  // namespace hyalite
