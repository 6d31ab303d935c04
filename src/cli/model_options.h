// Options that every verb which loads a model shares, and the way from them to a loaded model.
#pragma once

#include <memory>
#include <string>

#include "cli/option_set.h"
#include "cli/verb.h"
#include "compile/load.h"
#include "engine/engine.h"

namespace hyalite {

struct ModelOptions {
  std::string model;
  std::string backend = "cpu";
  std::string isa = "auto";
  std::string numerics = "auto";
  std::string kv_dtype = "auto";
  int threads = 0;      // 0: one per physical core
  int64_t max_seq = 0;  // 0: what the verb needs, at most the model's context
  int64_t prefill_chunk = 512;
};

// MODEL and the groups "Execution" and "Numerics".
void add_model_options(const OptionSet& set, ModelOptions& options);

// This machine, with what `profile --calibrate` measured where that was done; says so on `err` where its file is of no use.
Machine this_machine(const VerbContext& context);

// The tune record of this machine, kept beside the calibration; empty where there is no place for one.
std::string tune_file(const VerbContext& context);

// Makes the folder of both, before anything is measured in vain. Throws Error{io} where that cannot be.
void make_machine_folder(const VerbContext& context);

// Options with "auto" resolved, and with what `tune` chose on this machine; says so on `err` where its file is of no use. Ctrl-C cancels.
// Throws Error{invalid_argument} naming the flag.
CompileOptions compile_options(const ModelOptions& options, const VerbContext& context);

// Loads or compiles the model, and prints its remarks, and one where there are more threads than cores.
std::shared_ptr<ModelPlan> load(const ModelOptions& options, const CompileOptions& compile, const VerbContext& context);

// One line each on `err`, unless quiet.
void print_remarks(const std::vector<std::string>& remarks, const VerbContext& context);

}  // namespace hyalite
