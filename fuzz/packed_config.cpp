// config.json of a packed checkpoint.
#include "importers/packed_config.h"

#include <cstddef>
#include <cstdint>

#include "attempt.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  hyalite::attempt([&] {
    const hyalite::Json json = hyalite::parse_json({reinterpret_cast<const char*>(data), size}, "config.json");
    hyalite::tensor_specs(hyalite::packed_config_from_json(json, "config.json"));
  });
  return 0;
}
