#include "engine/engine.h"

#include <algorithm>

#include "base/clock.h"
#include "base/error.h"
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

// One request on its way: three counters tell prefill from decode, as in any later batch.
class Run {
 public:
  Run(Engine& engine, const Request& request, const TextSink& sink, int64_t max_tokens, int64_t chunk)
      : engine_(engine),
        request_(request),
        sink_(sink),
        max_tokens_(max_tokens),
        chunk_(chunk),
        owner_(engine.steps().kv()),
        sampler_(request.sampling, engine.valid_ids(), request.prompt),
        detokenizer_(engine.tokenizer()),
        stops_(request.stop) {
    if (request.ignore_eos) banned_ = engine.tokenizer().end_of_generation();
    for (int32_t id = 0; id < engine.valid_ids(); ++id)
      if (engine.tokenizer().is_unused(id)) banned_.push_back(id);
    result_.usage.prompt_tokens = static_cast<int64_t>(request.prompt.size());
  }

  Generation finish(const std::atomic<bool>* cancel) {
    const Stopwatch prefill_watch;
    TensorView logits = prefill();
    result_.timings.prefill_ms = prefill_watch.ms();
    const Stopwatch decode_watch;
    while (take(logits)) {
      if (cancel && cancel->load()) {
        result_.finish_reason = "cancelled";
        break;
      }
      StepSequence next{&owner_.pages, cached_, {&result_.ids.back(), 1}};
      logits = engine_.steps().run({&next, 1});
      ++cached_;
    }
    result_.timings.decode_ms = decode_watch.ms();
    emit(stops_.push(detokenizer_.finish()));
    emit(stops_.finish());
    return std::move(result_);
  }

 private:
  TensorView prefill() {
    std::span<const int32_t> prompt = request_.prompt;
    TensorView logits;
    while (cached_ < static_cast<int64_t>(prompt.size())) {
      auto ids = prompt.subspan(cached_, std::min<int64_t>(chunk_, prompt.size() - cached_));
      bool last = cached_ + ids.size() == prompt.size();
      StepSequence part{&owner_.pages, cached_, ids, last ? StepSequence::Logits::last : StepSequence::Logits::none};
      logits = engine_.steps().run({&part, 1});
      cached_ += static_cast<int64_t>(ids.size());
    }
    return logits;
  }

  // Samples a token and passes its text on; false when the answer is complete.
  bool take(const TensorView& logits) {
    SampledToken token = sampler_.sample({logits.as<float>(), static_cast<size_t>(logits.columns())}, banned_);
    bool end = engine_.tokenizer().is_end_of_generation(token.id);
    result_.ids.push_back(token.id);
    if (!end) emit(stops_.push(detokenizer_.push(token.id)));
    result_.tokens.push_back(std::move(token));
    ++result_.usage.completion_tokens;
    bool full = result_.usage.completion_tokens >= request_.max_new_tokens ||
                result_.usage.prompt_tokens + result_.usage.completion_tokens >= max_tokens_;
    if (end || stops_.stopped())
      result_.finish_reason = "stop";
    else if (full)
      result_.finish_reason = "length";
    return result_.finish_reason.empty();
  }

  void emit(const std::string& text) {
    if (text.empty()) return;
    result_.text += text;
    if (sink_) sink_(text);
  }

  Engine& engine_;
  const Request& request_;
  const TextSink& sink_;
  int64_t max_tokens_, chunk_;
  int64_t cached_ = 0;
  PagesOwner owner_;
  Sampler sampler_;
  Detokenizer detokenizer_;
  StopFilter stops_;
  std::vector<int32_t> banned_;
  Generation result_;
};

KvPoolOptions kv_options(const EngineOptions& options, const ModelPlan& model) {
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
  return Run(*this, request, sink, options_.max_tokens, options_.prefill_chunk).finish(cancel);
}

}  // namespace hyalite
