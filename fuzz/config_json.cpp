// config.json of a Hugging Face directory.
#include <cstddef>
#include <cstdint>

#include "attempt.h"
#include "base/json.h"
#include "importers/hf_config.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  hyalite::attempt([&] {
    const hyalite::Json json = hyalite::parse_json({reinterpret_cast<const char*>(data), size}, "config.json");
    hyalite::tensor_specs(hyalite::config_from_json(json, "config.json"));
  });
  return 0;
}
