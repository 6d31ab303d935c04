// config.json of Hugging Face -> canonical config. Fields and their defaults: the configuration classes of transformers 5.23.
#pragma once

#include <string>

#include "base/json.h"
#include "models/config.h"

namespace hyalite {

// Of config.json, which no configuration comes near.
inline constexpr JsonLimits kHfConfigLimits{.max_bytes = 1 << 20, .max_values = 1 << 16, .object = true};

// Reads config.json. Throws as read_json_file does, also where the file is larger than any configuration.
Json read_config_json(const std::string& path);

// `where` is the path of config.json, for messages. Throws Error{unsupported} naming a model_type, rope type, activation or option that
// would change the results and that Hyalite has not; Error{invalid_model} naming fields that are absent, wrong or in contradiction. The
// result has passed check_config.
ModelConfig config_from_json(const Json& json, const std::string& where);

}  // namespace hyalite
