// Speculative decoding: a drafter guesses the tokens that follow a sequence, one step of the model checks them all. A guess stands only
// where it equals the token that plain decoding samples in its place, so guesses change how many steps an answer takes and nothing else.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "plan/model_plan.h"
#include "runtime/sampler.h"

namespace hyalite {

// What a drafter may go by.
struct DraftContext {
  std::span<const int32_t> sequence;  // prompt and answer so far
  const Sampler& sampler;             // about to sample what follows; its copy draws the same random numbers
  std::span<const int32_t> banned;    // ids that it will leave out
  int64_t most;                       // guesses wanted, at least 1
};

// One sequence at a time, from the engine's thread.
class Drafter {
 public:
  virtual ~Drafter() = default;
  // A new sequence, which begins with `prompt` and from here on only grows.
  virtual void begin(std::span<const int32_t> prompt) = 0;
  // Appends at most context.most guesses to `drafts`; none is an answer too. Every guess is an id of the model's vocabulary.
  virtual void draft(const DraftContext& context, std::vector<int32_t>& drafts) = 0;
};

// Makes a drafter for sequences of up to max_tokens of `model`. `pool` is the engine's and outlives the drafter.
using DrafterFactory = std::function<std::unique_ptr<Drafter>(const ModelPlan& model, int64_t max_tokens, ThreadPool& pool)>;

}  // namespace hyalite
