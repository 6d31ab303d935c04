// GGUF bytes: the table, then the configuration and the tokenizer that the keys describe.
#include <cstddef>
#include <cstdint>

#include "attempt.h"
#include "importers/gguf_config.h"
#include "importers/gguf_file.h"
#include "importers/gguf_tokenizer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  hyalite::attempt([&] {
    const hyalite::GgufFile file = hyalite::parse_gguf({data, size}, "fuzz.gguf");
    const hyalite::ModelConfig config = hyalite::config_from_gguf(file.metadata, {});
    hyalite::tensor_specs(config);
    hyalite::import_gguf_tokenizer(file.metadata);
  });
  return 0;
}
