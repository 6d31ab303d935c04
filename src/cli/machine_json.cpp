#include "cli/machine_json.h"

#include "base/page_memory.h"

namespace hyalite {

Json machine_to_json(const Machine& m) {
  return {{"cpu_model", m.cpu_model},
          {"cores", m.cores},
          {"cpus", m.cpus},
          {"numa_nodes", m.numa_nodes},
          {"isa", describe_features(m.features)},
          {"l1_bytes", m.l1_bytes},
          {"l2_bytes", m.l2_bytes},
          {"l3_bytes", m.l3_bytes},
          {"memory_bytes", m.memory_bytes},
          {"huge_pages", huge_page_policy()},
          {"measured", m.measured},
          {"read_bytes_per_s", m.read_bytes_per_s},
          {"int8_ops_per_s", m.int8_ops_per_s},
          {"f32_flops_per_s", m.f32_flops_per_s}};
}

Json build_to_json() {
  return {{"version", HYALITE_VERSION}, {"compiler", __VERSION__}, {"type", HYALITE_BUILD_TYPE}};
}

}  // namespace hyalite
