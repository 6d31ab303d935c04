// How far a model's prediction of a token is from a base's: KL(base || model) in nats, and what each ranks first. The base is a model that
// runs beside (exact), a file of llama.cpp's (its rounding to 16 bits, and only the ids whose base log-probability is above -16, as
// llama-perplexity has it), or a compact base file: then all ids that are not kept count as one, and the KL of that coarser choice is a
// lower bound of the KL, equal to it where both models share the rest out alike.
#pragma once

#include <span>
#include <vector>

#include "workbench/compact_base.h"
#include "workbench/distribution.h"
#include "workbench/logit_base.h"

namespace hyalite {

struct Divergence {
  double kl = 0;  // may be a hair below zero where the base is rounded
  Prediction base, model;
};

// REQUIRES: both have the same vocabulary, in which `next` is an id.
Divergence divergence(const Distribution& base, const Distribution& model, int32_t next);
Divergence divergence(const LogProbRow& base, const Distribution& model, int32_t next);
Divergence divergence(const CompactRow& base, const Distribution& model, int32_t next);

}  // namespace hyalite
