// Everything that running a model needs, and nothing about where it came from: the door between the compiler and the runtime.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/tokenizer_spec.h"
#include "plan/execution_plan.h"
#include "plan/weight_set.h"

namespace hyalite {

struct ModelInfo {
  std::string name, family;
  int64_t layers = 0, hidden = 0, vocab = 0;
  int64_t context_length = 0;  // positions the model was made for
};

// Shared by all engines that run the model; immutable.
struct ModelPlan {
  ModelInfo info;
  TokenizerSpec tokenizer;
  ExecutionPlan prefill, decode;
  std::shared_ptr<const WeightSet> weights;
  std::vector<std::string> remarks;  // what loading converted, ignored or assumed, for people; none of an artifact
};

}  // namespace hyalite
