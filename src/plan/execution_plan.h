// The execution plan: flat steps in order, each with its variant, its operands' places, the reason the variant was chosen and what was
// refused. Immutable once made. It is the executor's only input, what `inspect --schedule` prints and what schedules/*.json holds.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "device/machine.h"
#include "kernels/kernel_variant.h"
#include "ops/numerics.h"
#include "ops/op_spec.h"

namespace hyalite {

// Where an operand lives while the plan runs.
struct PlanOperand {
  enum class Kind : uint8_t {
    none,    // absent optional
    arena,   // activation: `offset` bytes into the arena
    weight,  // weights[index] as in the file
    packed,  // weights[index] in its packed layout
    ids,     // the step's token ids
    batch,   // the step's BatchView
    cache,   // the KV cache of the step's layer
  };
  Kind kind = Kind::none;
  int32_t index = 0;   // weight, packed: into ExecutionPlan::weights
  int64_t offset = 0;  // arena
  std::string name;    // of the graph value, without %
  ValueType type;
};

// A weight as the plan uses it. A converted weight is made when weights are packed.
struct PlanWeight {
  std::string name;            // canonical tensor name; "constant:<graph>.<value>" for a constant
  TensorType type;             // after conversion
  std::string converted_from;  // format in the file where it differs, else empty
  std::vector<double> values;  // graph constants only
  bool as_is = false;          // some step reads it as in the file (or as converted)
  std::string packed;          // kind of the packed layout that some step reads it in; empty: none does
};

struct RefusedVariant {
  std::string variant;
  std::string why;
};

struct PlanStep {
  std::string path;  // module path of the node: "blk.3.attn"
  const OpSpec* op = nullptr;
  const KernelVariant* variant = nullptr;
  Attrs attrs;
  std::vector<PlanOperand> inputs, outputs;
  int32_t layer = -1;  // whose cache, where there is a cache operand
  int64_t workspace_bytes = 0;
  std::string reason;
  std::vector<RefusedVariant> refused;
  Cost cost;  // of the largest step; a decode step finds half of max_positions in the cache
  double predicted_us = 0;
  double tuned_us = 0;  // what the variant took in the tune record that it was chosen by; 0: not by one
};

struct ExecutionPlan {
  std::string mode;           // "prefill" or "decode"
  Symbols max_symbols;        // largest step this plan can run
  int64_t max_positions = 0;  // longest sequence it can run
  IsaLevel isa = IsaLevel::scalar;
  Numerics numerics = Numerics::deterministic;
  std::vector<PlanStep> steps;
  std::vector<PlanWeight> weights;
  std::vector<CacheSpec> caches;  // by layer
  int64_t arena_bytes = 0;        // activations, all steps
  int64_t workspace_bytes = 0;    // the largest step's scratch; shared
  PlanOperand logits;             // arena place of the result
  int64_t vocab = 0;
};

// Guessed tokens that each sequence of a decode plan's largest step may bring beside its own.
inline int64_t draft_tokens(const ExecutionPlan& plan) {
  return plan.max_symbols.tokens / plan.max_symbols.sequences - 1;
}

// Lossless text form: from_json(to_json(p)) equals p. Errors of from_json: Error{invalid_model} naming the field (unknown op, variant,
// ...).
Json to_json(const ExecutionPlan& plan);
enum class PlanState : uint8_t { complete, without_places };  // the second: from before memory planning; only to look at
ExecutionPlan plan_from_json(const Json& json, const std::string& where, PlanState state = PlanState::complete);

}  // namespace hyalite
