#include "device/calibration.h"

#include <array>
#include <cmath>
#include <filesystem>
#include <string_view>
#include <utility>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/json.h"

namespace hyalite {
namespace {

constexpr std::string_view file_kind = "hyalite machine calibration";
constexpr size_t max_file_bytes = 1 << 20;

constexpr std::array<std::pair<const char*, Measurement Calibration::*>, 5> figures{{{"read_one_bytes_per_s", &Calibration::read_one},
                                                                                     {"read_all_bytes_per_s", &Calibration::read_all},
                                                                                     {"copy_all_bytes_per_s", &Calibration::copy_all},
                                                                                     {"int8_all_ops_per_s", &Calibration::int8_all},
                                                                                     {"f32_all_flops_per_s", &Calibration::f32_all}}};

Json identity_of(const Machine& machine) {
  return {{"cpu_model", machine.cpu_model}, {"features", describe_features(machine.features)}, {"cpus", machine.cpus}};
}

// Empty, or what differs between the machine of the file and this one.
std::string difference(const Json& file, const Machine& machine) {
  const Json identity = identity_of(machine);
  for (const auto& [key, here] : identity.items()) {
    const auto there = file.find(key);
    if (there == file.end() || *there != here) {
      return "its " + key + " is " + (there == file.end() ? "missing" : there->dump()) + ", this machine's is " + here.dump();
    }
  }
  return {};
}

std::optional<Measurement> measurement_from(const Json& file, const char* key) {
  const auto found = file.find(key);
  if (found == file.end() || !found->is_array() || found->empty()) return std::nullopt;
  std::vector<double> samples;
  for (const Json& value : *found) {
    if (!value.is_number() || !std::isfinite(value.get<double>()) || value.get<double>() <= 0) return std::nullopt;
    samples.push_back(value.get<double>());
  }
  return summarize(std::move(samples));
}

StoredCalibration ignored(const std::string& path, const std::string& why) {
  return {std::nullopt, path + " ignored: " + why + "; `profile --calibrate` measures anew"};
}

StoredCalibration from_json(const std::string& path, const Json& file, const Machine& machine) {
  if (!file.is_object() || file.value("kind", Json()) != file_kind) return ignored(path, "it is not a calibration file");
  const Json version = file.value("version", Json());
  if (version != calibration_version) {
    return ignored(path, "its version is " + version.dump() + ", not " + std::to_string(calibration_version));
  }
  if (const std::string other = difference(file, machine); !other.empty()) return ignored(path, other);
  Calibration calibration;
  for (const auto& [key, member] : figures) {
    const auto measured = measurement_from(file, key);
    if (!measured) return ignored(path, std::string("field ") + key + " is not a list of positive numbers");
    calibration.*member = *measured;
  }
  return {calibration, {}};
}

}  // namespace

void save_calibration(const std::string& path, const Machine& machine, const Calibration& calibration) {
  Json file = {{"kind", file_kind}, {"version", calibration_version}};
  file.update(identity_of(machine));
  for (const auto& [key, member] : figures) file[key] = (calibration.*member).samples;
  write_file_atomically(path, file.dump(2) + '\n');
}

StoredCalibration load_calibration(const std::string& path, const Machine& machine) {
  std::error_code missing;
  if (!std::filesystem::exists(path, missing)) return {std::nullopt, path + ": no calibration; `profile --calibrate` makes one"};
  try {
    return from_json(path, read_json_file(path, {.max_bytes = max_file_bytes}), machine);
  } catch (const Error& error) {
    return ignored(path, error.message());
  }
}

}  // namespace hyalite
