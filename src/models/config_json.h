// A ModelConfig as JSON, lossless: how Hyalite's own checkpoints describe their model, whatever file it came from.
#pragma once

#include <string>

#include "base/json.h"
#include "models/config.h"

namespace hyalite {

Json config_to_json(const ModelConfig& config);

// Throws Error{invalid_model} with `where` for a missing field, a value of a wrong type or out of range, and what check_config refuses.
ModelConfig config_from_json_form(const Json& json, const std::string& where);

}  // namespace hyalite
