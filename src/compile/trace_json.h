// The pass trace as JSON: what artifact.json keeps and `compile --json` prints.
#pragma once

#include <vector>

#include "base/json_reader.h"
#include "passes/pass_manager.h"

namespace hyalite {

// One object a pass: name, changed, nodes_before, nodes_after, ms, max_abs_error (null where nothing was measured), remarks,
// changes (kind, op, count).
Json traces_to_json(const std::vector<PassTrace>& traces);

// Reads them from the field "passes" of `from`. Throws Error{invalid_model} naming the field that is missing or of another kind.
std::vector<PassTrace> traces_from_json(const JsonReader& from);

}  // namespace hyalite
