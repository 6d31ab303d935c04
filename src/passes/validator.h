// The reference evaluator as a pass validator: what a rewrite does to the logits.
#pragma once

#include "base/thread_pool.h"
#include "passes/pass_manager.h"
#include "tensor/weight_store.h"

namespace hyalite {

// Logits of the prefill and the decode case of ir/evaluation_case.h, one after the other, in fp32: of @model for both, or of @prefill and
// @decode, as far as the module has them. Weights (and pool, which may be null) outlive the validator; one thread at a time.
Validator reference_validator(const WeightStore& weights, ThreadPool* pool = nullptr);

}  // namespace hyalite
