// Perplexity of a text under a model, cut and scored as workbench/scored_windows.h says.
#pragma once

#include <span>
#include <vector>

#include "workbench/distribution.h"
#include "workbench/estimate.h"
#include "workbench/scored_windows.h"

namespace hyalite {

// What the model said of every scored token.
std::vector<Prediction> predictions(Engine& engine, std::span<const int32_t> ids, const WindowCut& cut, const WindowProgress& progress);

// exp of the mean of `nats`, as an estimate: its error is that of the mean times the value, its interval the mean's, both ends raised.
Estimate estimate_exp(std::span<const double> nats, const WindowCut& cut);

}  // namespace hyalite
