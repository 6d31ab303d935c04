// Perplexity of a text under a model, the way llama.cpp's llama-perplexity counts it: windows of `context` tokens that do not overlap, each
// begun with the BOS token in place of its first where the model has one, the second half of each scored.
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
