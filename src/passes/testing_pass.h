// A pass of the pipeline by its name, for tests.
#pragma once

#include <algorithm>
#include <string_view>

#include "passes/pipelines.h"

namespace hyalite {

// nullptr where there is none.
inline const Pass* pass_named(std::string_view name) {
  const std::span<const Pass* const> passes = default_pipeline();
  const auto found = std::ranges::find(passes, name, &Pass::name);
  return found == passes.end() ? nullptr : *found;
}

}  // namespace hyalite
