#include <fmt/format.h>

#include <iostream>

#include "base/thread_pool.h"
#include "cli/machine_json.h"
#include "cli/model_options.h"
#include "cli/table.h"
#include "cli/verb.h"
#include "device/calibration.h"

namespace hyalite {
namespace {

struct Options {
  bool calibrate = false;
  int64_t sample_mb = 256;
  int repeats = 9;
};

struct Figure {
  const char *name, *unit;
  Measurement Calibration::*samples;
};
constexpr Figure kFigures[] = {{"read_one_thread", "bytes/s", &Calibration::read_one},
                               {"read", "bytes/s", &Calibration::read_all},
                               {"copy", "bytes/s", &Calibration::copy_all},
                               {"int8", "ops/s", &Calibration::int8_all},
                               {"f32", "flops/s", &Calibration::f32_all}};

Json bandwidth_to_json(const std::optional<Calibration>& calibration) {
  Json json = {{"measured", calibration.has_value()}};
  if (!calibration) return json;
  for (const Figure& figure : kFigures) {
    const Measurement& m = (*calibration).*figure.samples;
    json[figure.name] = {{"median", m.median}, {"spread", m.spread}, {"unit", figure.unit}, {"samples", m.samples}};
  }
  return json;
}

// Measures and keeps, or reads what was kept.
std::optional<Calibration> calibration_of(const Options& o, const Machine& machine, VerbContext& context) {
  if (!o.calibrate) return context.machine_file.empty() ? std::nullopt : load_calibration(context.machine_file, machine).calibration;
  make_machine_folder(context);
  ThreadPool pool(machine.cores);
  MeasureOptions options{.repeats = o.repeats, .bytes = static_cast<size_t>(o.sample_mb) << 20, .cancel = &context.interrupted};
  const Calibration calibration = calibrate(pool, machine, options);
  save_calibration(context.machine_file, machine, calibration);
  return calibration;
}

void print_tables(const Json& json, std::ostream& out) {
  const Json& cpu = json["cpu"];
  out << fmt::format("{}: {} cores, {} CPUs, {}\n", cpu["cpu_model"].get<std::string>(), cpu["cores"].get<int>(), cpu["cpus"].get<int>(),
                     cpu["isa"].get<std::string>());
  out << fmt::format("caches {} KB, {} KB, {} MB; memory {:.1f} GB\n", cpu["l1_bytes"].get<size_t>() >> 10,
                     cpu["l2_bytes"].get<size_t>() >> 10, cpu["l3_bytes"].get<size_t>() >> 20, cpu["memory_bytes"].get<double>() / 1e9);
  if (!json["bandwidth"]["measured"].get<bool>()) {
    out << "not calibrated: plans use cautious figures; `hyalite profile --calibrate` measures\n";
    return;
  }
  Table table({"measured", ">G/s", "unit", ">spread"});
  for (const Figure& figure : kFigures) {
    const Json& m = json["bandwidth"][figure.name];
    table.row({figure.name, fmt::format("{:.1f}", m["median"].get<double>() / 1e9), figure.unit,
               fmt::format("{:.1f}%", m["spread"].get<double>() * 100)});
  }
  table.print(out);
}

int run(const Options& o, VerbContext& context) {
  Machine machine = detect_machine();
  const std::optional<Calibration> calibration = calibration_of(o, machine, context);
  if (calibration) machine = with_calibration(std::move(machine), *calibration);
  const Json json = {{"cpu", machine_to_json(machine)},
                     {"cuda", {{"available", false}, {"reason", "this build has no CUDA backend"}}},
                     {"bandwidth", bandwidth_to_json(calibration)},
                     {"machine_file", context.machine_file},
                     {"build", build_to_json()}};
  if (context.json)
    context.out << print_json(json) << '\n';
  else
    print_tables(json, context.out);
  return 0;
}

VerbAction setup(const OptionSet& set) {
  auto o = std::make_shared<Options>();
  const Option measure =
      set.add("--calibrate", o->calibrate, "Measure bandwidth and arithmetic, and keep the figures: plans predict with them from then on");
  set.add("--sample-mb", o->sample_mb, "Memory streamed in a sample; several times the caches").range(1, 65536).needs(measure);
  set.add("--repeats", o->repeats, "Samples of each figure").range(1, 1000).needs(measure);
  return [o](VerbContext& context) { return run(*o, context); };
}

}  // namespace

extern const Verb verb_profile{"profile", "Measure", "Describe this machine, and measure it with --calibrate", setup};

}  // namespace hyalite
