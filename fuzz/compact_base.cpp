// A compact base file: its header, ids and rows. Half of the inputs get a digest that fits, or none would come past it.
#include "workbench/compact_base.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "attempt.h"
#include "base/digest.h"
#include "base/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hyalite;
  constexpr size_t digest_bytes = 32;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (size > digest_bytes && size % 2 == 0) {
    bytes.resize(size - digest_bytes);
    bytes += digest_of(bytes);
  }
  attempt([&] {
    const CompactBase base({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}, "fuzz.base");
    for (int64_t i = 0; i < base.head().cut.scored(); ++i)
      for (int32_t id : base.row(i).ids) HYALITE_CHECK(id >= 0 && id < base.head().vocab, "id");
  });
  return 0;
}
