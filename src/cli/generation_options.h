// Sampling and length options, shared by run and chat.
#pragma once

#include <string>
#include <vector>

#include "cli/option_set.h"
#include "engine/engine.h"

namespace hyalite {

struct GenerationOptions {
  int64_t max_new_tokens = 128;
  SamplingOptions sampling;
  std::vector<std::string> stop;
  std::vector<std::string> logit_bias;  // ID=BIAS
  bool ignore_eos = false;
};

void add_generation_options(const OptionSet& set, GenerationOptions& options);

// A request without its prompt. Throws Error{invalid_argument} naming the flag.
Request request_of(const GenerationOptions& options);

}  // namespace hyalite
