// Perplexity of a text under a model, cut and scored as workbench/scored_windows.h says.
#pragma once

#include <atomic>
#include <functional>
#include <span>

#include "engine/engine.h"

namespace hyalite {

struct PerplexityResult {
  double perplexity = 0;
  double standard_error = 0;  // of the mean negative log-likelihood, times the perplexity
  int64_t tokens = 0;         // scored
  int64_t windows = 0;
};

// Throws Error{invalid_argument} where the text is shorter than a window, Error{cancelled}.
PerplexityResult measure_perplexity(Engine& engine, std::span<const int32_t> ids, int64_t context, const std::function<void()>& window_done,
                                    const std::atomic<bool>* cancel);

}  // namespace hyalite
