// The table of a safetensors file.
#include "importers/safetensors.h"

#include <cstddef>
#include <cstdint>

#include "attempt.h"
#include "base/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  hyalite::attempt([&] {
    const auto tensors = hyalite::parse_safetensors({data, size}, "fuzz.safetensors");
    for (const hyalite::StoredTensor& tensor : tensors)
      HYALITE_CHECK(tensor.offset <= size && tensor.bytes <= size - tensor.offset, "range");
    hyalite::check_covered({data, size}, tensors, "fuzz.safetensors");
  });
  return 0;
}
