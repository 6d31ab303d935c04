#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include "base/json.h"
#include "cli/table.h"
#include "cli/verb.h"
#include "device/machine.h"
#include "kernels/kernel_variant.h"
#include "models/model_builder.h"
#include "passes/pipelines.h"

namespace hyalite {
namespace {

struct Feature {
  std::string name, state, evidence;
};

constexpr struct {
  const char *name, *state, *evidence;
} kFeatures[] = {
#define FEATURE(name, state, evidence) {name, state, evidence},
#include "cli/audit_table.inc"
#undef FEATURE
};

void add_instruction_sets(const Machine& machine, std::vector<Feature>& list) {
  for (IsaLevel level : isa_levels()) {
    const bool there = has_level(machine, level);
    list.push_back({"instruction set: " + std::string(name_of(level)), there ? "ready" : "unavailable",
                    there ? "tests/conformance/conformance_test.cpp" : describe_instruction_sets(machine)});
  }
}

// Libraries that variants multiply by, each by the first of its variants.
void add_providers(const Machine& machine, std::vector<Feature>& list) {
  for (const KernelVariant* variant : cpu_variants()) {
    const std::string name = "provider: " + std::string(variant->provider);
    if (!variant->library_missing || std::ranges::any_of(list, [&](const Feature& one) { return one.name == name; })) continue;
    const std::string missing = lacks(*variant, machine.features);
    list.push_back({name, missing.empty() ? "ready" : "unavailable", missing.empty() ? "tests/conformance/conformance_test.cpp" : missing});
  }
}

std::vector<Feature> features() {
  std::vector<Feature> list;
  for (const auto& row : kFeatures) list.push_back({row.name, row.state, row.evidence});
  for (const Family& family : families())
    list.push_back({"family: " + std::string(family.name), "ready", "tests/models/tiny_models_test.cpp"});
  for (const Pass* pass : default_pipeline())
    list.push_back({"pass: " + std::string(pass->name), "ready", "tests/passes/" + std::string(pass->name)});
  const Machine machine = detect_machine();
  add_instruction_sets(machine, list);
  add_providers(machine, list);
  for (const Verb* verb : all_verbs())
    list.push_back({"verb: " + std::string(verb->name), "ready", "hyalite " + std::string(verb->name) + " --help"});
  return list;
}

int run(VerbContext& context) {
  Json rows = Json::array();
  Table table({"feature", "state", "evidence"});
  for (const Feature& one : features()) {
    rows.push_back({{"name", one.name}, {"state", one.state}, {"evidence", one.evidence}});
    table.row({one.name, one.state, one.evidence});
  }
  if (context.json)
    context.out << print_json({{"features", rows}}) << '\n';
  else
    table.print(context.out);
  return 0;
}

VerbAction setup(const OptionSet&) {
  return run;
}

}  // namespace

extern const Verb verb_audit{"audit", "Measure", "Say what this build and this machine can do, each with the check that proves it", setup};

}  // namespace hyalite
