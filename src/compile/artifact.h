// The artifact bundle: a directory that a person can read and `run` can map.
//
//   artifact.json           format version, source files with digests, target, passes, weight index, digests of all other parts
//   tokenizer.json          the tokenizer's rules (base/tokenizer_spec_json.h)
//   graphs/prefill.cir, decode.cir    the final graphs (or module.cir where compilation stopped early)
//   schedules/prefill.json, decode.json   the execution plans: what runs
//   passes/NN-name.diff     what each pass changed
//   weights/packed.bin      every weight in the form the plans read it, 64-byte aligned, mapped at load
//
// Writing is atomic: into a temporary directory beside the target, then a rename; an error or interruption leaves nothing behind.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/thread_pool.h"
#include "compile/compiler.h"
#include "plan/model_plan.h"

namespace hyalite {

// Relative paths inside an artifact.
inline constexpr const char* kWeightsPath = "weights/packed.bin";
std::string schedule_path(const std::string& mode);

inline constexpr int kArtifactVersion = 6;

bool is_artifact(const std::filesystem::path& path);

// Writes `compilation` to `directory`, replacing an artifact that is there already. Throws Error{invalid_argument} where something else is
// there or in it, Error{io} where the disk refuses, Error{cancelled}.
void write_artifact(const Compilation& compilation, const std::filesystem::path& directory, ThreadPool& pool);

// Maps an artifact. `cancel` (it may be null) is polled while its weights are checked: Error{cancelled}. Throws Error{invalid_model} for
// another format version, a digest that does not fit, a missing or damaged part, or an artifact that holds no complete pair of plans.
std::shared_ptr<ModelPlan> load_artifact(const std::filesystem::path& directory, const std::atomic<bool>* cancel = nullptr);

}  // namespace hyalite
