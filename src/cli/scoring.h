// What the verbs that score a text share: their options, a model made ready for windows, and how estimates and worst tokens are shown.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/json.h"
#include "cli/model_options.h"
#include "cli/option_set.h"
#include "workbench/distribution.h"
#include "workbench/estimate.h"
#include "workbench/worst_tokens.h"

namespace hyalite {

struct ScoringOptions {
  std::string file;
  int64_t context = 512, windows = 0;  // windows: 0 for all
  int64_t worst = 10;
};
void add_scoring_options(const OptionSet& set, ScoringOptions& options);

// A model with an engine for windows of `context` tokens.
class ScoredModel {
 public:
  // Throws what loading throws, and Error{invalid_argument} where the model's context is shorter.
  ScoredModel(const ModelOptions& options, int64_t context, const VerbContext& verb);

  Engine& engine() { return *engine_; }
  std::vector<int32_t> ids_of(const std::string& file) const;

 private:
  const std::atomic<bool>& interrupted_;
  std::shared_ptr<ModelPlan> model_;
  std::unique_ptr<Tokenizer> tokenizer_;
  std::unique_ptr<Engine> engine_;
};

// Runs `work` with a progress bar over that many windows.
void with_window_progress(int64_t windows, const VerbContext& verb, const std::function<void(const WindowProgress&)>& work);

// Of a text's ids: the cut that the options ask for.
WindowCut cut_of(const ScoringOptions& options, size_t ids);

// [low, high], or null where they are not known.
Json interval_to_json(const Estimate& estimate);
std::string interval_to_text(const Json& interval, int digits);

Json token_to_json(const TokenInText& token);
// Of such a token, the end of the text before it and itself in brackets: `...sat on the [mat]`.
std::string token_to_line(const Json& token);
// {"text", "probability"} of a first choice.
Json choice_to_json(const Prediction& prediction, const Tokenizer& tokenizer);

}  // namespace hyalite
