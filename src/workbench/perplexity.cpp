#include "workbench/perplexity.h"

#include <cmath>

namespace hyalite {

std::vector<Prediction> predictions(Engine& engine, std::span<const int32_t> ids, const WindowCut& cut, const WindowProgress& progress) {
  std::vector<Prediction> all(cut.scored());
  Engine* const engines[] = {&engine};
  auto sink = [&](const ScoredRows& rows) {
    for_each_row(engine.threads(), rows.count(), [&](int64_t row) {
      all[rows.first + row] = prediction_of(Distribution(rows.logits(0, row, engine.valid_ids())), rows.next[row]);
    });
  };
  score_windows(engines, ids, cut, sink, progress);
  return all;
}

Estimate estimate_exp(std::span<const double> nats, const WindowCut& cut) {
  const Estimate e = estimate_mean(nats, cut.per_window());
  const double value = std::exp(e.mean);
  return {value, value * e.standard_error, std::exp(e.low), std::exp(e.high)};
}

}  // namespace hyalite
