#include "engine/model_drafter.h"

#include <algorithm>

#include "base/error.h"

namespace hyalite {
namespace {

void check_same_vocabulary(const TokenizerSpec& draft, const std::string& where, const TokenizerSpec& model) {
  if (const auto found = first_difference(draft, model))
    throw Error(ErrorCode::invalid_argument, where,
                "has another vocabulary than the model: token " + std::to_string(found->id) + " is \"" + std::string(found->one) +
                    "\", in the model \"" + std::string(found->other) + "\"");
}

std::shared_ptr<const ModelPlan> checked(std::shared_ptr<const ModelPlan> draft, const std::string& where, const ModelPlan& model) {
  check_same_vocabulary(draft->tokenizer, where, model.tokenizer);
  return draft;
}

}  // namespace

ModelDrafter::ModelDrafter(std::shared_ptr<const ModelPlan> draft, const std::string& where, const ModelPlan& model, int64_t max_tokens,
                           ThreadPool& pool)
    : draft_(checked(std::move(draft), where, model)),
      max_tokens_(std::min(max_tokens, draft_->prefill.max_positions)),
      valid_ids_(std::min(draft_->info.vocab, model.info.vocab)),
      steps_(*draft_, {max_tokens_, 1, draft_->prefill.max_symbols.tokens}, pool) {}

ModelDrafter::~ModelDrafter() {
  steps_.kv().release(pages_);
}

void ModelDrafter::begin(std::span<const int32_t> prompt) {
  cached_.clear();
  certain_ = 0;
  failed_ = false;
  if (static_cast<int64_t>(prompt.size()) <= max_tokens_) catch_up(prompt);
}

void ModelDrafter::draft(const DraftContext& context, std::vector<int32_t>& drafts) {
  const auto size = static_cast<int64_t>(context.sequence.size());
  const int64_t most = std::min(context.most, max_tokens_ - size + 1);  // the last guess is not run
  if (most < 1 || failed_) return;
  sampler_ = context.sampler;
  try {
    TensorView logits = catch_up(context.sequence);
    for (int64_t left = most; left > 0; --left) {
      const auto row = std::span(logits.as<float>(), static_cast<size_t>(std::min(logits.columns(), valid_ids_)));
      drafts.push_back(sampler_->next(row, context.banned));
      if (left > 1) logits = run({&drafts.back(), 1});
    }
  } catch (const Error& error) {
    if (error.code() != ErrorCode::non_finite_logits) throw;
    failed_ = true;  // the answer is the model's, and goes on without guesses
  }
}

TensorView ModelDrafter::catch_up(std::span<const int32_t> sequence) {
  const auto most = static_cast<int64_t>(std::min(cached_.size(), sequence.size() - 1));  // the last one is run for its logits
  certain_ = std::min(certain_, most);
  while (certain_ < most && cached_[certain_] == sequence[certain_]) ++certain_;
  cached_.resize(certain_);
  TensorView logits;
  while (cached_.size() < sequence.size())
    logits = run(sequence.subspan(cached_.size(), std::min<size_t>(sequence.size() - cached_.size(), steps_.limits().tokens)));
  return logits;
}

TensorView ModelDrafter::run(std::span<const int32_t> ids) {
  const StepSequence step{&pages_, static_cast<int64_t>(cached_.size()), ids};
  const TensorView logits = steps_.run({&step, 1});
  cached_.insert(cached_.end(), ids.begin(), ids.end());
  return logits;
}

}  // namespace hyalite
