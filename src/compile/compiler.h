// The driver: import, build, passes, plan. The result is everything there is to look at; an artifact (artifact.h) or a ModelPlan
// (load.h) is made from it.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/thread_pool.h"
#include "importers/importer.h"
#include "ir/graph.h"
#include "passes/pass_manager.h"
#include "plan/planner.h"

namespace hyalite {

struct Compilation;
// Logits of the plans of a compilation, whose activations may not be placed yet, on the cases that validate graph passes
// (ir/evaluation_case.h), one after the other; or why there are none. Running plans is the runtime's, so that workbench/plan_validator.h
// makes it.
struct PlanLogits {
  std::vector<float> values;
  std::string why_not;
};
using PlanValidator = std::function<PlanLogits(const Compilation&)>;

struct CompileOptions {
  // What changes results.
  Numerics numerics = Numerics::deterministic;
  bool any_numerics = false;      // an artifact may have been compiled with others
  std::optional<DType> kv_dtype;  // f32, f16, bf16 or q8_0; absent: f16, or f32 under reference numerics
  // What changes speed and size.
  Machine machine;  // restricted to the wanted instruction sets
  IsaLevel isa = IsaLevel::avx512;
  int threads = 1;
  Symbols max_symbols{512, 1, 1};    // largest prefill step
  int64_t max_decode_sequences = 1;  // largest decode step, which a prefill step is never smaller than,
  int64_t max_draft_tokens = 0;      // where each sequence brings so many guessed tokens beside its own
  int64_t max_positions = 0;         // 0: the model's context length
  // Which variants were measured to be the fastest; null: not known.
  std::shared_ptr<const TuneRecord> tuned;
  // What is kept, and how far to go.
  bool record_text = false;                   // diffs and texts of every pass
  bool validate = false;                      // the reference evaluator measures every graph pass,
  PlanValidator plan_validator;               // and this every planning pass, where it is given
  std::string stop_after;                     // name of a pass or planning pass
  bool fuse = true;                           // false: no fusion pass, so that every matmul's input is a value of its own
  std::filesystem::path resume_from;          // CacheIR text, or folder of such, to go on from, instead of the model builder's graph
  const std::atomic<bool>* cancel = nullptr;  // polled all along; Error{cancelled}
};

struct Compilation {
  ImportedModel model;
  CompileOptions options;                        // with "auto" values resolved
  std::vector<CacheSpec> caches;                 // by layer
  Module module;                                 // after the last pass that ran
  std::vector<PassTrace> passes;                 // graph passes, then planning passes
  std::optional<ExecutionPlan> prefill, decode;  // absent where compilation stopped earlier
};

// Errors: those of the importer, the parser (resume_from) and the planner; Error{invalid_argument} for an unknown stop_after;
// Error{non_finite_logits} where `validate` cannot compare.
// `pool` runs the reference evaluations of `validate`.
Compilation compile(const std::filesystem::path& model, const CompileOptions& options, ThreadPool& pool);
// The same for a model that was imported, or made, already.
Compilation compile(ImportedModel model, const CompileOptions& options, ThreadPool& pool);

// The largest decode step.
Symbols decode_symbols(const CompileOptions& options);

// Names of all passes in order, planning passes included.
std::vector<std::string> pass_names();

}  // namespace hyalite
