// The tokenizer of a model or artifact, without its weights.
#pragma once

#include <filesystem>

#include "base/tokenizer_spec.h"

namespace hyalite {

TokenizerSpec load_tokenizer_spec(const std::filesystem::path& model);

}  // namespace hyalite
