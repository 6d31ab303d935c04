#include "workbench/scored_windows.h"

#include <algorithm>

#include "base/error.h"

namespace hyalite {
namespace {

// Scores one window; the logits of a step's rows are limited, so the scored half runs in chunks of that many tokens.
class Window {
 public:
  Window(Engine& engine, std::span<const int32_t> ids) : engine_(engine), ids_(ids) {}
  ~Window() { engine_.steps().kv().release(pages_); }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  void score(const std::function<void(const ScoredRow&)>& sink) {
    const auto size = static_cast<int64_t>(ids_.size());
    const int64_t first = size / 2;  // logits of `first` predict the token after it
    const auto valid = static_cast<size_t>(engine_.valid_ids());
    const Symbols& limits = engine_.steps().limits();
    for (int64_t at = 0; at < size - 1;) {
      const bool scored = at >= first;
      int64_t end = std::min(scored ? size - 1 : first, at + std::min(limits.tokens, scored ? limits.logits_rows : limits.tokens));
      StepSequence part{&pages_, at, ids_.subspan(at, end - at), scored ? StepSequence::Logits::all : StepSequence::Logits::none};
      TensorView logits = engine_.steps().run({&part, 1});
      for (int64_t row = 0; scored && row < end - at; ++row)
        sink({{logits.as<float>() + row * logits.columns(), valid}, ids_[at + row + 1]});
      at = end;
    }
  }

 private:
  Engine& engine_;
  std::span<const int32_t> ids_;
  SequencePages pages_;
};

}  // namespace

int64_t score_windows(Engine& engine, std::span<const int32_t> ids, int64_t context, const std::function<void(const ScoredRow&)>& sink,
                      const std::function<void()>& window_done, const std::atomic<bool>* cancel) {
  const int64_t windows = static_cast<int64_t>(ids.size()) / context;
  if (windows == 0)
    throw Error(ErrorCode::invalid_argument, "--file",
                "the text has " + std::to_string(ids.size()) + " tokens, a window has " + std::to_string(context));
  const TokenizerSpec& spec = engine.model().tokenizer;
  const bool begins_with_bos = !spec.prefix.empty() && spec.prefix.front() == spec.bos;
  for (int64_t w = 0; w < windows; ++w) {
    if (cancel && cancel->load()) throw Error(ErrorCode::cancelled, "perplexity", "interrupted");
    auto part = ids.subspan(w * context, context);
    std::vector<int32_t> window(part.begin(), part.end());
    if (begins_with_bos) window[0] = spec.bos;
    Window(engine, window).score(sink);
    window_done();
  }
  return windows;
}

}  // namespace hyalite
