// The machine file: whatever it holds, it is ignored with a remark or gives rates that can be divided by.
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "base/error.h"
#include "device/calibration.h"
#include "importers/testing/files.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hyalite;
  static const testing::TemporaryDirectory directory;
  const Machine machine{.cpu_model = "fuzz", .cpus = 2, .features = kAvx2};  // that of the seed
  const auto path = directory.write("machine.json", {reinterpret_cast<const char*>(data), size});
  const StoredCalibration stored = load_calibration(path.string(), machine);
  HYALITE_CHECK(stored.calibration.has_value() == stored.remark.empty(), "neither rates nor a remark, or both");
  if (!stored.calibration) return 0;
  const Machine measured = with_calibration(machine, *stored.calibration);
  for (const double rate : {measured.read_bytes_per_s, measured.int8_ops_per_s, measured.f32_flops_per_s})
    HYALITE_CHECK(std::isfinite(rate) && rate > 0, "a rate that is no positive number");
  return 0;
}
