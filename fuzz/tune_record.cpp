// A tune record: one that is accepted comes back the same from its own text.
#include "plan/tune_record.h"

#include <cstddef>
#include <cstdint>

#include "attempt.h"
#include "base/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hyalite;
  attempt([&] {
    const TuneRecord record = tune_record_from_json(parse_json({reinterpret_cast<const char*>(data), size}, "tune.json"), "tune.json");
    HYALITE_CHECK(tune_record_from_json(to_json(record), "tune.json") == record, "the record's text is another record");
  });
  return 0;
}
