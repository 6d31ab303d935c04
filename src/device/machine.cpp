#include "device/machine.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/cpu_quota.h"
#include "base/error.h"
#include "base/topology.h"
#include "device/cpu_features.h"

namespace hyalite {
namespace {

constexpr std::array<std::pair<IsaLevel, std::string_view>, 4> level_names{
    {{IsaLevel::scalar, "scalar"}, {IsaLevel::avx2, "avx2"}, {IsaLevel::avx512, "avx512"}, {IsaLevel::amx, "amx"}}};

constexpr std::array<std::pair<uint32_t, std::string_view>, 7> feature_names{{{kAvx2, "avx2"},
                                                                              {kAvxVnni, "avxvnni"},
                                                                              {kAvx512, "avx512"},
                                                                              {kAvx512Vnni, "avx512vnni"},
                                                                              {kAvx512Bf16, "avx512bf16"},
                                                                              {kAmxInt8, "amx"},
                                                                              {kAmxBf16, "amxbf16"}}};

// Size of the cache of this kind that the first allowed CPU uses; `fallback` where the machine does not tell.
size_t cache_bytes(hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_const_bitmap_t allowed, size_t fallback) {
  for (hwloc_obj_t object = nullptr; (object = hwloc_get_next_obj_by_type(topology, type, object)) != nullptr;) {
    if (hwloc_bitmap_intersects(object->cpuset, allowed) && object->attr->cache.size > 0) return object->attr->cache.size;
  }
  return fallback;
}

std::string model_name(hwloc_topology_t topology) {
  hwloc_obj_t package = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PACKAGE, nullptr);
  const char* name = package == nullptr ? nullptr : hwloc_obj_get_info_by_name(package, "CPUModel");
  return name == nullptr ? "unknown CPU" : name;
}

void read_topology(Machine& machine) {
  const Topology topology = load_topology({HWLOC_OBJ_PACKAGE, HWLOC_OBJ_CORE, HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE});
  if (!topology) return;
  hwloc_topology_t top = topology.get();
  CpuSet allowed = affinity_mask(top);
  if (!allowed) allowed.reset(hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(top)));
  machine.cpu_model = model_name(top);
  machine.cpus = std::max(1, count_of(top, HWLOC_OBJ_PU, allowed.get()));
  const int cores = count_of(top, HWLOC_OBJ_CORE, allowed.get());
  machine.cores = cores > 0 ? cores : machine.cpus;
  machine.cpus = std::min(machine.cpus, cpu_quota());
  machine.cores = std::min(machine.cores, machine.cpus);
  machine.numa_nodes = std::max(1, count_of(top, HWLOC_OBJ_NUMANODE, allowed.get()));
  machine.l1_bytes = cache_bytes(top, HWLOC_OBJ_L1CACHE, allowed.get(), machine.l1_bytes);
  machine.l2_bytes = cache_bytes(top, HWLOC_OBJ_L2CACHE, allowed.get(), machine.l2_bytes);
  machine.l3_bytes = cache_bytes(top, HWLOC_OBJ_L3CACHE, allowed.get(), machine.l3_bytes);
  machine.memory_bytes = hwloc_get_root_obj(top)->total_memory;
}

// What a core of the last years does at 2.5 GHz: cautious, so that predictions err on the slow side until somebody measures.
void assume_rates(Machine& machine) {
  constexpr double clock = 2.5e9;
  const double lanes = machine.features & kAvx512 ? 16 : machine.features & kAvx2 ? 8 : 1;
  const bool dot = (machine.features & (kAvxVnni | kAvx512Vnni)) != 0;
  machine.measured = false;
  machine.f32_flops_per_s = machine.cores * clock * lanes * 2;
  machine.int8_ops_per_s = machine.f32_flops_per_s * (lanes == 1 ? 1 : dot ? 4 : 1.5);
  machine.read_bytes_per_s = std::min(15e9 * machine.cores, 30e9 + 2e9 * machine.cores);
}

}  // namespace

std::string_view name_of(IsaLevel level) {
  for (const auto& [value, name] : level_names) {
    if (value == level) return name;
  }
  return "unknown";
}

std::optional<IsaLevel> isa_level_named(std::string_view name) {
  for (const auto& [value, known] : level_names) {
    if (known == name) return value;
  }
  return std::nullopt;
}

uint32_t features_of(IsaLevel level) {
  constexpr uint32_t avx2 = kAvx2 | kAvxVnni, avx512 = avx2 | kAvx512 | kAvx512Vnni | kAvx512Bf16;
  switch (level) {
    case IsaLevel::scalar: return 0;
    case IsaLevel::avx2: return avx2;
    case IsaLevel::avx512: return avx512;
    case IsaLevel::amx: return avx512 | kAmxInt8 | kAmxBf16;
  }
  return 0;
}

uint32_t base_features_of(IsaLevel level) {
  return features_of(level) & (kAvx2 | kAvx512 | kAmxInt8);
}

std::string describe_features(uint32_t mask) {
  std::string text;
  for (const auto& [bit, name] : feature_names) {
    if ((mask & bit) == 0) continue;
    if (!text.empty()) text += '+';
    text += name;
  }
  return text.empty() ? "scalar" : text;
}

std::span<const IsaLevel> isa_levels() {
  static constexpr auto levels = [] {
    std::array<IsaLevel, level_names.size()> all{};
    for (size_t i = 0; i < all.size(); ++i) all[i] = level_names[i].first;
    return all;
  }();
  return levels;
}

std::string isa_level_names() {
  std::string text;
  for (const auto& [level, name] : level_names) text.append(text.empty() ? "" : ", ").append(name);
  return text;
}

bool has_level(const Machine& machine, IsaLevel level) {
  const uint32_t base = base_features_of(level);
  return (machine.features & base) == base;
}

std::string describe_instruction_sets(const Machine& machine) {
  const std::string has = "this CPU (" + machine.cpu_model + ") has only " + describe_features(machine.features);
  return machine.withheld.empty() ? has : has + "; " + machine.withheld;
}

Machine detect_machine() {
  Machine machine;
  machine.features = features_from(read_cpuid());
  if ((machine.features & kAmxInt8) && !may_use_tiles()) {
    machine.features &= ~uint32_t{kAmxInt8 | kAmxBf16};
    machine.withheld = "Linux does not let this process use AMX";
  }
  read_topology(machine);
  assume_rates(machine);
  return machine;
}

Machine restrict_isa(Machine machine, IsaLevel level) {
  if (!has_level(machine, level)) {
    throw Error(ErrorCode::invalid_argument, "--isa " + std::string(name_of(level)), describe_instruction_sets(machine));
  }
  const uint32_t features = machine.features & features_of(level);
  if (features == machine.features) return machine;
  machine.features = features;
  const double read = machine.read_bytes_per_s;
  const bool measured = machine.measured;
  assume_rates(machine);  // arithmetic was measured with the instructions that are now forbidden; memory is the same
  if (measured) machine.read_bytes_per_s = read;
  return machine;
}

}  // namespace hyalite
