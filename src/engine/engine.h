// The engine: a model, its plans and its KV pool; the only door to generation. Runs one request at a time, from the caller's thread.
//
//   Tokenizer tokenizer(model->tokenizer);
//   Engine engine(model, tokenizer, {.threads = 2, .max_tokens = 2048});
//   Generation g = engine.generate({.prompt = tokenizer.encode("Hello")}, [](std::string_view text) { std::cout << text; });
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/drafter.h"
#include "plan/model_plan.h"
#include "runtime/sampler.h"
#include "runtime/step_runner.h"
#include "text/tokenizer.h"

namespace hyalite {

struct EngineOptions {
  int threads = 1;
  int64_t max_tokens = 2048;  // longest sequence, prompt and answer together; at most the plan's max_positions
  int64_t max_sequences = 1;
  int64_t prefill_chunk = 512;  // most prompt tokens in a step; at most the plan's limit. Does not change results.
  // Speculative decoding: each step checks up to draft_tokens guesses, at most those of the plan. Does not change results.
  DrafterFactory drafter;  // absent: off
  int64_t draft_tokens = 0;
};

struct Request {
  std::vector<int32_t> prompt;
  int64_t max_new_tokens = 128;
  SamplingOptions sampling;
  std::vector<std::string> stop;
  bool ignore_eos = false;
};

struct Usage {
  int64_t prompt_tokens = 0, completion_tokens = 0, cached_tokens = 0;
};

struct Timings {
  double prefill_ms = 0, decode_ms = 0;  // decode: from the first token to the last
  int64_t decode_steps = 0;
  int64_t drafted_tokens = 0, accepted_tokens = 0;
};

struct Generation {
  std::vector<int32_t> ids;
  std::string text;                  // UTF-8 where the model made whole characters; control tokens left out
  std::string finish_reason;         // "stop" (end token or stop string), "length" (max_new_tokens or context), "cancelled"
  std::vector<SampledToken> tokens;  // one per id
  Usage usage;
  Timings timings;
};

// Text as it becomes certain, in order; never half a character, never the start of a stop string.
using TextSink = std::function<void(std::string_view text)>;

class Engine {
 public:
  // `tokenizer` is the model's and outlives the engine. Throws Error{invalid_argument} for bad options, among them a drafter under fast
  // numerics, where a row's bits may depend on the rows beside it.
  Engine(std::shared_ptr<const ModelPlan> model, const Tokenizer& tokenizer, const EngineOptions& options);

  // Throws Error{invalid_argument} for bad options or an empty prompt, {context_length_exceeded} with both numbers where the prompt leaves
  // no room for one token, {non_finite_logits} naming the first op with such a result. Once `cancel`, where given, is set, the answer ends
  // where it is, with a prompt half read if need be.
  Generation generate(const Request& request, const TextSink& sink = {}, const std::atomic<bool>* cancel = nullptr);

  const Tokenizer& tokenizer() const { return tokenizer_; }
  const ModelPlan& model() const { return *model_; }
  StepRunner& steps() { return steps_; }  // for measurements: benchmark, perplexity
  ThreadPool& threads() { return threads_; }
  // Ids with a token behind them: padding rows of the embedding are never sampled.
  int64_t valid_ids() const;

 private:
  std::shared_ptr<const ModelPlan> model_;
  EngineOptions options_;
  const Tokenizer& tokenizer_;
  ThreadPool threads_;
  StepRunner steps_;
  std::unique_ptr<Drafter> drafter_;  // null: plain decoding
};

}  // namespace hyalite
