#include "workbench/perplexity.h"

#include <algorithm>
#include <cmath>

#include "workbench/scored_windows.h"

namespace hyalite {
namespace {

double negative_log_likelihood(std::span<const float> logits, int32_t target) {
  const float best = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (float logit : logits) sum += std::exp(static_cast<double>(logit - best));
  return std::log(sum) - static_cast<double>(logits[target] - best);
}

}  // namespace

PerplexityResult measure_perplexity(Engine& engine, std::span<const int32_t> ids, int64_t context, const std::function<void()>& window_done,
                                    const std::atomic<bool>* cancel) {
  PerplexityResult result;
  double sum = 0, squares = 0;
  auto add = [&](const ScoredRow& row) {
    const double nll = negative_log_likelihood(row.logits, row.next);
    sum += nll;
    squares += nll * nll;
    ++result.tokens;
  };
  result.windows = score_windows(engine, ids, context, add, window_done, cancel);
  const double mean = sum / static_cast<double>(result.tokens);
  result.perplexity = std::exp(mean);
  double variance = squares / static_cast<double>(result.tokens) - mean * mean;
  result.standard_error =
      result.perplexity * std::sqrt(std::max(0.0, variance) / static_cast<double>(std::max<int64_t>(1, result.tokens - 1)));
  return result;
}

}  // namespace hyalite
