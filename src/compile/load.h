// From a path of any kind to a model that can run.
#pragma once

#include <filesystem>
#include <memory>

#include "base/thread_pool.h"
#include "compile/compiler.h"
#include "plan/model_plan.h"

namespace hyalite {

// An artifact is mapped as it was compiled (and refused where `options` asks for other numerics, older instruction sets, another cache
// format or longer sequences than it was compiled for, or where this machine lacks what its kernels need); anything else is compiled in
// memory.
std::shared_ptr<ModelPlan> load_model(const std::filesystem::path& path, const CompileOptions& options, ThreadPool& pool);

// The plans and the tokenizer of an artifact, without its weights. Refuses it as load_model() does.
struct ArtifactPlans {
  ExecutionPlan prefill, decode;
  TokenizerSpec tokenizer;
};
ArtifactPlans load_artifact_plans(const std::filesystem::path& path, const CompileOptions& options);

// The runnable part of a compilation: packs the weights. REQUIRES: both plans are there.
std::shared_ptr<ModelPlan> make_model_plan(Compilation compilation, ThreadPool& pool);

// What a person should know of a model that was imported just now: what the importer converted, ignored or assumed, and how many matrices
// are multiplied in another format than the file's.
std::vector<std::string> load_remarks(const Compilation& compilation);

ModelInfo info_of(const ModelConfig& config);

}  // namespace hyalite
