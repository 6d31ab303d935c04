#include "importers/packed_config.h"

#include "base/error.h"
#include "base/json_reader.h"
#include "models/config_json.h"

namespace hyalite {

std::string packed_name(const std::string& canonical) {
  return canonical.ends_with(".bias") ? canonical : canonical + ".weight";
}

bool is_packed_config(const Json& json) {
  return json.is_object() && json.value("model_type", Json()) == "hyalite";
}

ModelConfig packed_config_from_json(const Json& json, const std::string& where) {
  const JsonReader from(json, where);
  if (const auto version = from.get<int64_t>("format_version"); version != kPackedVersion)
    throw Error(ErrorCode::unsupported, where,
                "has format version " + std::to_string(version) + ", this build reads " + std::to_string(kPackedVersion));
  return config_from_json_form(from.field("model"), where + ": model");
}

Json packed_config_to_json(const ModelConfig& config, Json quantization) {
  quantization["quant_method"] = "hyalite";
  return {{"model_type", "hyalite"},
          {"format_version", kPackedVersion},
          {"model", config_to_json(config)},
          {"quantization_config", std::move(quantization)}};
}

}  // namespace hyalite
