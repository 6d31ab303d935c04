// An NPZ archive: zip directory and .npy headers.
#include "importers/npz.h"

#include <cstddef>
#include <cstdint>

#include "attempt.h"
#include "base/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  hyalite::attempt([&] {
    for (const hyalite::StoredTensor& tensor : hyalite::parse_npz({data, size}, "fuzz.npz"))
      HYALITE_CHECK(tensor.offset <= size && tensor.bytes <= size - tensor.offset, "range");
  });
  return 0;
}
