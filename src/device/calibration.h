// The machine file: a calibration kept on disk with the machine that it was taken on.
#pragma once

#include <optional>
#include <string>

#include "device/machine.h"
#include "device/measure.h"

namespace hyalite {

inline constexpr int calibration_version = 1;

// Replaces the file at `path` whole. Throws Error{io}.
void save_calibration(const std::string& path, const Machine& machine, const Calibration& calibration);

struct StoredCalibration {
  std::optional<Calibration> calibration;
  std::string remark;  // why there is none, or empty
};

// Never throws for what the file holds: one that is missing, damaged, of another version, or taken on another CPU, with other instruction
// sets or another number of CPUs is ignored with a remark.
StoredCalibration load_calibration(const std::string& path, const Machine& machine);

}  // namespace hyalite
