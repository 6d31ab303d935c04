// A model against a base over the scored tokens of a text (workbench/scored_windows.h), and the figures that sum it up.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "workbench/divergence.h"
#include "workbench/estimate.h"
#include "workbench/scored_windows.h"

namespace hyalite {

// Two models that read a text alike. Throws Error{invalid_argument} naming the first token that one of them has and the other has not.
void check_same_vocabulary(const Engine& base, const Engine& model);

// By scored token. Errors: those of score_windows, Error{non_finite_logits}. REQUIRES: the same vocabulary.
std::vector<Divergence> compare(Engine& base, Engine& model, std::span<const int32_t> ids, const WindowCut& cut,
                                const WindowProgress& progress);
std::vector<Divergence> compare(const CompactBase& base, Engine& model, const WindowProgress& progress);
std::vector<Divergence> compare(const LogitBase& base, Engine& model, const WindowProgress& progress);

// The text's base under a model, as the bytes of a compact base file that keeps `kept` ids of each token.
std::string compact_base_of(Engine& engine, std::span<const int32_t> ids, const WindowCut& cut, int64_t kept,
                            const WindowProgress& progress);
// The same as a file of llama.cpp's (workbench/logit_base.h), which is written as it is made: a row takes two bytes for every id.
void write_logit_base(const std::filesystem::path& path, Engine& engine, std::span<const int32_t> ids, const WindowCut& cut,
                      const WindowProgress& progress);

struct ComparisonSummary {
  int64_t tokens = 0;
  Estimate kl, top1_agreement;  // agreement: share of tokens
  double kl_median = 0, kl_p99 = 0, kl_max = 0;
  Estimate base_perplexity, perplexity;
  Estimate perplexity_ratio;  // the model's over the base's; token by token, so far more certain than either
};

// REQUIRES: `tokens` is not empty and cut.scored() long.
ComparisonSummary summarize(std::span<const Divergence> tokens, const WindowCut& cut);

}  // namespace hyalite
