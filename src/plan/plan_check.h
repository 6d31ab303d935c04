// Kernels trust the types, attributes and sizes of their step. The planner gets them right by construction; a plan that was read from a
// file has to be held to the same rules before it runs.
#pragma once

#include <string>
#include <vector>

#include "plan/execution_plan.h"

namespace hyalite {

// Throws Error{invalid_model} at `where` where a plan is not one that the planner could have made: an operand outside the arena or of
// another type than its weight, a result that its op does not make, a step that its variant refuses, too little workspace, ...
void check_plan(const ExecutionPlan& plan, const std::string& where);

// Its last part: every activation that a step reads was made by an earlier step in that place, and no other one was put there meanwhile.
// REQUIRES: operands lie in the arena.
void check_lifetimes(const ExecutionPlan& plan, const std::string& where);

// Throws Error{invalid_model} where a node asks more of its layer's cache than the cache holds.
void check_cache(const OpSpec& op, const Attrs& attrs, const std::string& path, const CacheSpec& cache);

// The cache of the layer that a node names, checked so. Throws Error{invalid_model} where there is no such layer.
const CacheSpec& cache_of(const OpSpec& op, const Attrs& attrs, const std::string& path, const std::vector<CacheSpec>& caches);

}  // namespace hyalite
