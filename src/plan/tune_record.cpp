#include "plan/tune_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/atomic_file.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/json_reader.h"
#include "base/quantile.h"
#include "kernels/kernel_variant.h"

namespace hyalite {
namespace {

constexpr const char* file_kind = "hyalite tune record";
constexpr int tune_record_version = 1;
constexpr size_t max_file_bytes = 16 << 20;

Json timing_to_json(const VariantTiming& timing) {
  return {{"variant", timing.variant}, {"samples", timing.samples}, {"median_us", timing.median_us},
          {"min_us", timing.min_us},   {"max_us", timing.max_us},   {"spread_us", timing.spread_us}};
}

VariantTiming timing_from(const JsonReader& from) {
  VariantTiming timing{from.get<std::string>("variant"), from.get<int64_t>("samples"), from.get<double>("median_us"),
                       from.get<double>("min_us"),       from.get<double>("max_us"),   from.get<double>("spread_us")};
  if (timing.samples < 1) from.fail("field samples is not positive");
  const bool ordered = 0 < timing.min_us && timing.min_us <= timing.median_us && timing.median_us <= timing.max_us;
  if (!ordered || !std::isfinite(timing.max_us)) from.fail("fields min_us, median_us and max_us are no times in order");
  if (!(timing.spread_us >= 0) || !std::isfinite(timing.spread_us)) from.fail("field spread_us is no time");
  return timing;
}

TuneChoice choice_from(const JsonReader& from) {
  TuneChoice choice{.variant = from.get<std::string>("variant")};
  from.each("timed", [&](const JsonReader& one) { choice.timed.push_back(timing_from(one)); });
  if (!choice.find(choice.variant)) from.fail("field variant names " + choice.variant + ", which is not among the timed");
  return choice;
}

// Empty, or why the record says nothing here.
std::string difference(const TuneOrigin& file, const TuneOrigin& here) {
  auto differ = [](const char* what, const auto& there, const auto& mine) {
    return fmt::format("is of another machine: its {} is {}, this one's is {}", what, there, mine);
  };
  if (file.cpu_model != here.cpu_model) return differ("CPU", file.cpu_model, here.cpu_model);
  if (file.features != here.features) return differ("instruction set", file.features, here.features);
  if (file.cores != here.cores) return differ("number of cores", file.cores, here.cores);
  if (file.cpus != here.cpus) return differ("number of CPUs", file.cpus, here.cpus);
  if (file.hyalite != here.hyalite) return fmt::format("is stale: Hyalite {} made it, this is {}", file.hyalite, here.hyalite);
  return file.variants == here.variants ? "" : "is stale: this build has other kernel variants";
}

// Empty, or a variant of the record that there is not.
std::string unknown_variant(const TuneRecord& record) {
  for (const auto& [problem, choice] : record.choices)
    for (const VariantTiming& timing : choice.timed)
      if (!find_variant(timing.variant)) return timing.variant;
  return {};
}

}  // namespace

VariantTiming timing_of(std::string variant, std::vector<double> samples_us) {
  std::ranges::sort(samples_us);
  return {.variant = std::move(variant),
          .samples = std::ssize(samples_us),
          .median_us = quantile(samples_us, 0.5),
          .min_us = samples_us.front(),
          .max_us = samples_us.back(),
          .spread_us = (quantile(samples_us, 0.75) - quantile(samples_us, 0.25)) / 2};
}

const VariantTiming* TuneChoice::find(std::string_view name) const {
  const auto found = std::ranges::find(timed, name, &VariantTiming::variant);
  return found == timed.end() ? nullptr : &*found;
}

TuneChoice choice_of(std::vector<VariantTiming> timed) {
  const VariantTiming &first = timed.front(), &best = *std::ranges::min_element(timed, {}, &VariantTiming::median_us);
  const bool clear = first.median_us - best.median_us > first.spread_us + best.spread_us;
  TuneChoice choice{.variant = clear ? best.variant : first.variant};
  choice.timed = std::move(timed);
  return choice;
}

TuneOrigin tune_origin(const Machine& machine, const std::string& version) {
  std::string names;
  for (const KernelVariant* variant : cpu_variants()) names += std::string(variant->name) + "\n";
  return {machine.cpu_model, describe_features(machine.features), machine.cores, machine.cpus, version, digest_of(names)};
}

Json to_json(const TuneRecord& record) {
  const TuneOrigin& origin = record.origin;
  Json choices = Json::array();
  for (const auto& [problem, choice] : record.choices) {
    Json timed = Json::array();
    for (const VariantTiming& timing : choice.timed) timed.push_back(timing_to_json(timing));
    choices.push_back({{"problem", problem}, {"variant", choice.variant}, {"gain", choice.gain()}, {"timed", timed}});
  }
  return {{"kind", file_kind},           {"version", tune_record_version}, {"cpu_model", origin.cpu_model},
          {"features", origin.features}, {"cores", origin.cores},          {"cpus", origin.cpus},
          {"hyalite", origin.hyalite},   {"variants", origin.variants},    {"choices", choices}};
}

TuneRecord tune_record_from_json(const Json& json, const std::string& where) {
  const JsonReader from(json, where);
  if (from.get<std::string>("kind") != file_kind) from.fail("field kind is not " + std::string(file_kind));
  if (from.get<int>("version") != tune_record_version) from.fail(fmt::format("field version is not {}", tune_record_version));
  TuneRecord record;
  record.origin = {from.get<std::string>("cpu_model"), from.get<std::string>("features"), from.get<int>("cores"), from.get<int>("cpus"),
                   from.get<std::string>("hyalite"),   from.get<std::string>("variants")};
  from.each("choices", [&](const JsonReader& one) {
    if (!record.choices.emplace(one.get<std::string>("problem"), choice_from(one)).second) one.fail("its problem is there twice");
  });
  return record;
}

void save_tune_record(const std::string& path, const TuneRecord& record) {
  write_file_atomically(path, print_json(to_json(record)) + "\n");
}

StoredTuneRecord load_tune_record(const std::string& path, const TuneOrigin& here) {
  std::error_code missing;
  if (!std::filesystem::exists(path, missing)) return {};
  auto ignored = [](const std::string& why) {
    return StoredTuneRecord{nullptr, why + "; the tune record is ignored, `hyalite tune MODEL` measures anew"};
  };
  try {
    auto record = std::make_shared<TuneRecord>(tune_record_from_json(read_json_file(path, {.max_bytes = max_file_bytes}), path));
    if (const std::string other = difference(record->origin, here); !other.empty()) return ignored(path + " " + other);
    if (const std::string name = unknown_variant(*record); !name.empty())
      return ignored(path + " names the variant " + name + ", which this build does not have");
    return {std::move(record), ""};
  } catch (const Error& error) {
    return ignored(error.what());
  }
}

}  // namespace hyalite
