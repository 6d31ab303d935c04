// Runs a text through models side by side and hands over the logits behind each scored token, the way llama.cpp's llama-perplexity cuts a
// text: windows of `context` tokens that do not overlap, each begun with the BOS token in place of its first where the model has one, the
// second half of each scored.
#pragma once

#include <atomic>
#include <functional>
#include <span>
#include <vector>

#include "engine/engine.h"

namespace hyalite {

// How windows cut a text of so many tokens. Scored tokens are counted through all windows.
struct WindowCut {
  int64_t context = 0, windows = 0;

  int64_t per_window() const { return context - 1 - context / 2; }
  int64_t scored() const { return windows * per_window(); }
  // Index in the text of a scored token, which is the one that the logits predict.
  int64_t position(int64_t scored) const { return scored / per_window() * context + context / 2 + 1 + scored % per_window(); }
};

// Whole windows of a text, at most `most` of them. Throws Error{invalid_argument} where the text is shorter than one.
WindowCut cut_windows(int64_t tokens, int64_t context, int64_t most);

// Scored tokens that follow each other, all of one step; until the sink returns.
struct ScoredRows {
  int64_t first = 0;               // index of row 0 among all scored tokens
  std::span<const int32_t> next;   // the scored tokens, one a row
  std::span<const TensorView> of;  // by engine: logits [rows, vocabulary]

  int64_t count() const { return static_cast<int64_t>(next.size()); }
  std::span<const float> logits(size_t engine, int64_t row, int64_t ids) const {
    return {of[engine].as<float>() + row * of[engine].columns(), static_cast<size_t>(ids)};
  }
};
using ScoredSink = std::function<void(const ScoredRows& rows)>;

struct WindowProgress {
  std::function<void()> window_done;  // may be empty
  const std::atomic<bool>* cancel = nullptr;
};

// REQUIRES: the engines hold sequences of cut.context tokens and have the same vocabulary; ids are at least cut.windows * cut.context.
// Throws Error{cancelled}.
void score_windows(std::span<Engine* const> engines, std::span<const int32_t> ids, const WindowCut& cut, const ScoredSink& sink,
                   const WindowProgress& progress);

// Calls work(row) for each of `rows` rows, split over the threads.
void for_each_row(ThreadPool& threads, int64_t rows, const std::function<void(int64_t row)>& work);

}  // namespace hyalite
