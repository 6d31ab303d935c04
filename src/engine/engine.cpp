#include "engine/engine.h"

#include <algorithm>

#include "base/clock.h"
#include "base/error.h"
#include "base/largest.h"
#include "engine/draft_length.h"
#include "engine/non_finite.h"
#include "engine/stop_filter.h"
#include "text/detokenizer.h"

namespace hyalite {
namespace {

// Gives the pages back however the request ends.
class PagesOwner {
 public:
  explicit PagesOwner(KvPool& kv) : kv_(kv) {}
  ~PagesOwner() { kv_.release(pages); }
  PagesOwner(const PagesOwner&) = delete;
  PagesOwner& operator=(const PagesOwner&) = delete;
  SequencePages pages;

 private:
  KvPool& kv_;
};

// One request on its way: prefill() reads the prompt in chunks, then each decode() adds what one step makes certain. cached_ counts the
// tokens of the sequence that the cache holds; what comes after them is the next step's.
class Run {
 public:
  Run(Engine& engine, Drafter* drafter, const Request& request, const TextSink& sink, const EngineOptions& options)
      : engine_(engine),
        drafter_(drafter),
        request_(request),
        sink_(sink),
        chunk_(options.prefill_chunk),
        most_(std::min(request.max_new_tokens, options.max_tokens - static_cast<int64_t>(request.prompt.size()))),
        owner_(engine.steps().kv()),
        sampler_(request.sampling, engine.valid_ids(), request.prompt),
        detokenizer_(engine.tokenizer()),
        stops_(request.stop),
        draft_length_(options.draft_tokens),
        sequence_(request.prompt) {
    sequence_.reserve(sequence_.size() + most_);
    if (request.ignore_eos) banned_ = engine.tokenizer().end_of_generation();
    for (int32_t id = 0; id < engine.valid_ids(); ++id)
      if (engine.tokenizer().is_unused(id)) banned_.push_back(id);
    result_.usage.prompt_tokens = static_cast<int64_t>(request.prompt.size());
  }

  Generation finish() {
    try {
      answer();
    } catch (const Error& error) {
      if (error.code() == ErrorCode::non_finite_logits) find_non_finite(engine_.steps(), owner_.pages, sequence_, chunk_);
      if (error.code() != ErrorCode::cancelled) throw;
      result_.finish_reason = "cancelled";
    }
    emit(stops_.push(detokenizer_.finish()));
    emit(stops_.finish());
    return std::move(result_);
  }

 private:
  void answer() {
    const Stopwatch prefill_watch;
    const TensorView logits = prefill();
    if (drafter_) drafter_->begin(request_.prompt);
    result_.timings.prefill_ms = prefill_watch.ms();
    const Stopwatch decode_watch;
    for (bool goes_on = take(logits, 0); goes_on; result_.timings.decode_ms = decode_watch.ms()) goes_on = decode();
  }

  // Where the largest logit of each row is all that counts, the others may stay uncomputed; if one turns out to be that of a token that may
  // not be sampled, the step is done again for all of them, which writes the same into the cache.
  TensorView step(StepSequence sequence) {
    sequence.top_only = sampler_.wants_top_only();
    const TensorView logits = engine_.steps().run({&sequence, 1});
    if (!sequence.top_only || sequence.logits == StepSequence::Logits::none || tops_may_be_sampled(logits)) return logits;
    sequence.top_only = false;
    return engine_.steps().run({&sequence, 1});
  }

  bool tops_may_be_sampled(const TensorView& logits) const {
    const auto columns = static_cast<size_t>(logits.columns());
    for (int64_t row = 0; row < logits.rows(); ++row) {
      const auto id = static_cast<int64_t>(index_of_largest({logits.as<float>() + row * logits.columns(), columns}));
      if (id >= engine_.valid_ids() || std::ranges::count(banned_, id)) return false;
    }
    return true;
  }

  TensorView prefill() {
    std::span<const int32_t> prompt = request_.prompt;
    TensorView logits;
    while (cached_ < static_cast<int64_t>(prompt.size())) {
      auto ids = prompt.subspan(cached_, std::min<int64_t>(chunk_, prompt.size() - cached_));
      bool last = cached_ + ids.size() == prompt.size();
      StepSequence part{&owner_.pages, cached_, ids, last ? StepSequence::Logits::last : StepSequence::Logits::none};
      logits = step(part);
      cached_ += static_cast<int64_t>(ids.size());
    }
    return logits;
  }

  // One step: the last token and guesses of what follows. A guess that equals the token sampled in its place saves a step; the first that
  // does not ends this one, and the next writes over what it left in the cache. False when the answer is complete.
  bool decode() {
    draft();
    const TensorView logits = step({&owner_.pages, cached_, step_, StepSequence::Logits::all});
    int64_t row = 0;
    bool goes_on = true, guessed = true;
    while (goes_on && guessed) {
      ++cached_;
      goes_on = take(logits, row++);
      guessed = row < std::ssize(step_) && step_[row] == sequence_.back();
    }
    note(std::ssize(step_) - 1, guessed ? row : row - 1);
    return goes_on;
  }

  void draft() {
    step_.assign(1, sequence_.back());
    if (!drafter_) return;
    const int64_t most = std::min(draft_length_.next(), most_ - result_.usage.completion_tokens - 1);
    if (most > 0) drafter_->draft({sequence_, sampler_, banned_, most}, step_);
  }

  void note(int64_t drafted, int64_t accepted) {
    draft_length_.note(drafted, accepted);
    ++result_.timings.decode_steps;
    result_.timings.drafted_tokens += drafted;
    result_.timings.accepted_tokens += accepted;
  }

  // Samples a token from a row of logits and passes its text on; false when the answer is complete.
  bool take(const TensorView& logits, int64_t row) {
    const auto columns = static_cast<size_t>(logits.columns());
    SampledToken token = sampler_.sample({logits.as<float>() + row * logits.columns(), columns}, banned_);
    const bool end = engine_.tokenizer().is_end_of_generation(token.id);
    result_.ids.push_back(token.id);
    sequence_.push_back(token.id);
    if (!end) emit(stops_.push(detokenizer_.push(token.id)));
    result_.tokens.push_back(std::move(token));
    ++result_.usage.completion_tokens;
    if (end || stops_.stopped())
      result_.finish_reason = "stop";
    else if (result_.usage.completion_tokens >= most_)
      result_.finish_reason = "length";
    return result_.finish_reason.empty();
  }

  void emit(const std::string& text) {
    if (text.empty()) return;
    result_.text += text;
    if (sink_) sink_(text);
  }

  Engine& engine_;
  Drafter* drafter_;  // may be null
  const Request& request_;
  const TextSink& sink_;
  int64_t chunk_, most_;  // most_: tokens of the answer
  int64_t cached_ = 0;
  PagesOwner owner_;
  Sampler sampler_;
  Detokenizer detokenizer_;
  StopFilter stops_;
  DraftLength draft_length_;
  std::vector<int32_t> banned_;
  std::vector<int32_t> sequence_, step_;  // prompt and answer; the ids of one decode step
  Generation result_;
};

void check_speculation(const EngineOptions& options, const ExecutionPlan& plan) {
  if (plan.numerics == Numerics::fast)
    throw Error(ErrorCode::invalid_argument, "speculative decoding",
                "is never lossy, and fast numerics do not promise the same logits for a token alone and beside guesses");
  if (const int64_t most = draft_tokens(plan); options.draft_tokens < 1 || options.draft_tokens > most)
    throw Error(ErrorCode::invalid_argument, "draft_tokens", "must be between 1 and the plan's " + std::to_string(most));
}

KvPoolOptions kv_options(const EngineOptions& options, const ModelPlan& model) {
  if (options.drafter) check_speculation(options, model.decode);
  if (options.max_tokens < 1 || options.max_tokens > model.prefill.max_positions)
    throw Error(ErrorCode::invalid_argument, "max_tokens",
                "must be between 1 and the plan's " + std::to_string(model.prefill.max_positions));
  return {options.max_tokens, options.max_sequences, model.prefill.max_symbols.tokens};
}

}  // namespace

Engine::Engine(std::shared_ptr<const ModelPlan> model, const Tokenizer& tokenizer, const EngineOptions& options)
    : model_(std::move(model)),
      options_(options),
      tokenizer_(tokenizer),
      threads_(options.threads),
      steps_(*model_, kv_options(options, *model_), threads_) {
  if (options.prefill_chunk < 1) throw Error(ErrorCode::invalid_argument, "prefill_chunk", "must be at least 1");
  options_.prefill_chunk = std::min(options.prefill_chunk, steps_.limits().tokens);
  if (options.drafter) drafter_ = options.drafter(*model_, options.max_tokens, threads_);
}

int64_t Engine::valid_ids() const {
  return std::min<int64_t>(tokenizer_.vocab_size(), model_->info.vocab);
}

Generation Engine::generate(const Request& request, const TextSink& sink, const std::atomic<bool>* cancel) {
  if (request.prompt.empty())
    throw Error(ErrorCode::invalid_argument, "prompt", "is empty, and this model has no token that begins a text");
  if (request.max_new_tokens < 1) throw Error(ErrorCode::invalid_argument, "max_new_tokens", "must be at least 1");
  if (static_cast<int64_t>(request.prompt.size()) >= options_.max_tokens)
    throw Error(ErrorCode::context_length_exceeded, "prompt",
                "it has " + std::to_string(request.prompt.size()) + " tokens, the context holds " + std::to_string(options_.max_tokens) +
                    " with at least one for the answer");
  const ThreadPool::CancelScope scope(threads_, cancel);
  return Run(*this, drafter_.get(), request, sink, options_).finish();
}

}  // namespace hyalite
