// The passes, in order.
#pragma once

#include <span>

#include "passes/pass.h"

namespace hyalite {

// From the logical graph @model to the graphs @prefill and @decode that plan/ takes. The same for every model.
std::span<const Pass* const> default_pipeline();

}  // namespace hyalite
