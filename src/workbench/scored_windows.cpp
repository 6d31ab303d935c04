#include "workbench/scored_windows.h"

#include <algorithm>

#include "base/error.h"
#include "ops/op_spec.h"

namespace hyalite {
namespace {

// The pages of one window in every engine.
class WindowPages {
 public:
  WindowPages(std::span<Engine* const> engines, const std::atomic<bool>* cancel)
      : engines_(engines), cancel_(cancel), pages_(engines.size()) {}
  ~WindowPages() {
    for (size_t e = 0; e < engines_.size(); ++e) engines_[e]->steps().kv().release(pages_[e]);
  }
  WindowPages(const WindowPages&) = delete;
  WindowPages& operator=(const WindowPages&) = delete;

  TensorView run(size_t engine, int64_t at, std::span<const int32_t> ids, StepSequence::Logits logits) {
    const ThreadPool::CancelScope scope(engines_[engine]->threads(), cancel_);
    StepSequence part{&pages_[engine], at, ids, logits};
    return engines_[engine]->steps().run({&part, 1});
  }

 private:
  std::span<Engine* const> engines_;
  const std::atomic<bool>* cancel_;
  std::vector<SequencePages> pages_;
};

// The largest step that every engine takes; logits are limited to fewer rows.
Symbols common_limits(std::span<Engine* const> engines) {
  Symbols least = engines[0]->steps().limits();
  for (Engine* engine : engines) {
    const Symbols& limits = engine->steps().limits();
    least.tokens = std::min(least.tokens, limits.tokens);
    least.logits_rows = std::min({least.logits_rows, limits.logits_rows, least.tokens});
  }
  return least;
}

bool begins_with_bos(const TokenizerSpec& spec) {
  return !spec.prefix.empty() && spec.prefix.front() == spec.bos;
}

void score_window(std::span<Engine* const> engines, std::span<const int32_t> ids, int64_t scored_before, const ScoredSink& sink,
                  const std::atomic<bool>* cancel) {
  const Symbols limits = common_limits(engines);
  const auto size = static_cast<int64_t>(ids.size());
  const int64_t first = size / 2;  // logits of `first` predict the token after it
  WindowPages pages(engines, cancel);
  std::vector<TensorView> logits(engines.size());
  for (int64_t at = 0; at < size - 1;) {
    const bool scored = at >= first;
    const int64_t end = std::min(scored ? size - 1 : first, at + (scored ? limits.logits_rows : limits.tokens));
    for (size_t e = 0; e < engines.size(); ++e)
      logits[e] = pages.run(e, at, ids.subspan(at, end - at), scored ? StepSequence::Logits::all : StepSequence::Logits::none);
    if (scored) sink({scored_before + at - first, ids.subspan(at + 1, end - at), logits});
    at = end;
  }
}

}  // namespace

WindowCut cut_windows(int64_t tokens, int64_t context, int64_t most) {
  if (tokens < context)
    throw Error(ErrorCode::invalid_argument, "--file",
                "the text has " + std::to_string(tokens) + " tokens, a window has " + std::to_string(context));
  return {context, std::min(tokens / context, most)};
}

void score_windows(std::span<Engine* const> engines, std::span<const int32_t> ids, const WindowCut& cut, const ScoredSink& sink,
                   const WindowProgress& progress) {
  const TokenizerSpec& spec = engines[0]->model().tokenizer;
  for (int64_t w = 0; w < cut.windows; ++w) {
    auto part = ids.subspan(w * cut.context, cut.context);
    std::vector<int32_t> window(part.begin(), part.end());
    if (begins_with_bos(spec)) window[0] = spec.bos;
    score_window(engines, window, w * cut.per_window(), sink, progress.cancel);
    if (progress.window_done) progress.window_done();
  }
}

void for_each_row(ThreadPool& threads, int64_t rows, const std::function<void(int64_t row)>& work) {
  threads.run([&](int thread) {
    const WorkRange range{thread, threads.size()};
    for (int64_t row = range.begin(rows); row < range.end(rows); ++row) work(row);
  });
}

}  // namespace hyalite
