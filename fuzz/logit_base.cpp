// A base file of llama.cpp: its header, ids and rows.
#include "workbench/logit_base.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "attempt.h"
#include "base/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hyalite;
  const std::vector<uint8_t> bytes(data, data + size);  // at an address like a mapped file's
  attempt([&] {
    const LogitBase base(bytes, "fuzz.base");
    for (int32_t id : base.ids()) HYALITE_CHECK(id >= 0 && id < base.shape().vocab, "id");
    for (int64_t i = 0; i < base.shape().rows(); ++i)
      for (size_t id = 0; id < base.row(i).codes.size(); ++id) HYALITE_CHECK(std::isfinite(base.row(i).log_prob(id)), "log-probability");
  });
  return 0;
}
