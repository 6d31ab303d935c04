// The tune record: which of the variants that can solve a problem was the fastest on this machine, with the evidence. `tune` measures it,
// the planner reads it. Results of deterministic numerics never depend on it: whatever is wrong with the file, it is ignored with a remark.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "device/machine.h"

namespace hyalite {

// Times of one step of the model, in microseconds.
struct VariantTiming {
  std::string variant;
  int64_t samples = 0;
  double median_us = 0, min_us = 0, max_us = 0;
  double spread_us = 0;  // half the distance between the quartiles
  bool operator==(const VariantTiming&) const = default;
};
VariantTiming timing_of(std::string variant, std::vector<double> samples_us);  // REQUIRES: not empty

struct TuneChoice {
  std::string variant;               // one of the measured
  std::vector<VariantTiming> timed;  // best first in the planner's order of preference: the first is what it takes unmeasured
  const VariantTiming* find(std::string_view name) const;  // nullptr where it was not measured
  // How many times faster than the variant that the planner takes unmeasured.
  double gain() const { return timed.front().median_us / find(variant)->median_us; }
  bool operator==(const TuneChoice&) const = default;
};

// The fastest by median, but the first where that is not behind by more than both spreads together. REQUIRES: not empty.
TuneChoice choice_of(std::vector<VariantTiming> timed);

// What a record is good for. Everything must be equal.
struct TuneOrigin {
  std::string cpu_model, features;
  int cores = 1, cpus = 1;
  std::string hyalite;   // version
  std::string variants;  // digest of the names of all variants
  bool operator==(const TuneOrigin&) const = default;
};
TuneOrigin tune_origin(const Machine& machine, const std::string& version);  // REQUIRES: the machine is not restricted

struct TuneRecord {
  TuneOrigin origin;
  std::map<std::string, TuneChoice, std::less<>> choices;  // by problem_key()
  bool operator==(const TuneRecord&) const = default;
};

// Lossless. Errors of from_json: Error{invalid_model} naming the field; it does not look at whose the record is.
Json to_json(const TuneRecord& record);
TuneRecord tune_record_from_json(const Json& json, const std::string& where);

void save_tune_record(const std::string& path, const TuneRecord& record);  // Error{io}

struct StoredTuneRecord {
  std::shared_ptr<const TuneRecord> record;
  std::string remark;  // why there is none, or empty where there is no file
};
// Never throws for what the file holds: one that is damaged, of another machine, or stale is ignored with a remark.
StoredTuneRecord load_tune_record(const std::string& path, const TuneOrigin& here);

}  // namespace hyalite
