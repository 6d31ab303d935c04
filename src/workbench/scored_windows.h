// Runs a text through a model and hands over the logits behind each scored token, the way llama.cpp's llama-perplexity cuts a text:
// windows of `context` tokens that do not overlap, each begun with the BOS token in place of its first where the model has one, the second
// half of each scored (context - 1 - context / 2 tokens).
#pragma once

#include <atomic>
#include <functional>
#include <span>

#include "engine/engine.h"

namespace hyalite {

struct ScoredRow {
  std::span<const float> logits;  // of the engine's valid ids; until the sink returns
  int32_t next = 0;               // the token that follows in the text
};

// Returns the count of windows; what is left of the text is not run. The engine must hold sequences of `context` tokens. Throws
// Error{invalid_argument} where the text is shorter than a window, Error{cancelled}.
int64_t score_windows(Engine& engine, std::span<const int32_t> ids, int64_t context, const std::function<void(const ScoredRow&)>& sink,
                      const std::function<void()>& window_done, const std::atomic<bool>* cancel);

}  // namespace hyalite
