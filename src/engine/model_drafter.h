// A smaller model of the same vocabulary drafts: it decodes ahead, drawing with the same random numbers, bias and penalties that the model
// itself is about to draw with.
#pragma once

#include <optional>
#include <string>

#include "engine/drafter.h"
#include "runtime/step_runner.h"

namespace hyalite {

class ModelDrafter final : public Drafter {
 public:
  // Drafts for `model`. Throws Error{invalid_argument} at `where` (the draft model as the user named it) for the first id whose token is
  // not the model's. Sequences that outgrow the draft's own context, or whose logits of the draft are not finite, are not drafted for.
  ModelDrafter(std::shared_ptr<const ModelPlan> draft, const std::string& where, const ModelPlan& model, int64_t max_tokens,
               ThreadPool& pool);
  ~ModelDrafter() override;

  void begin(std::span<const int32_t> prompt) override;
  void draft(const DraftContext& context, std::vector<int32_t>& drafts) override;

 private:
  // Makes the cache hold `sequence`; returns the logits of its last token.
  TensorView catch_up(std::span<const int32_t> sequence);
  TensorView run(std::span<const int32_t> ids);

  std::shared_ptr<const ModelPlan> draft_;
  int64_t max_tokens_, valid_ids_;
  StepRunner steps_;
  std::optional<Sampler> sampler_;  // the model's, gone ahead
  SequencePages pages_;
  std::vector<int32_t> cached_;  // ids in the cache, guesses among them
  int64_t certain_ = 0;          // of those, how many are known to be the sequence's
  bool failed_ = false;          // since begin()
};

}  // namespace hyalite
