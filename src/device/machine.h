// What this machine is: topology, caches, instruction sets, and what was measured of its memory and arithmetic.
// Asked once at start-up, then passed as an argument; no kernel asks the CPU anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hyalite {

// Bits of an instruction-set mask. A variant runs where all its bits are present.
enum CpuFeature : uint32_t {
  kAvx2 = 1u << 0,     // AVX2 with FMA and F16C
  kAvxVnni = 1u << 1,  // VEX-encoded int8 dot products
  kAvx512 = 1u << 2,   // AVX-512 F, BW, VL, DQ
  kAvx512Vnni = 1u << 3,
  kAvx512Bf16 = 1u << 4,
  kAmxInt8 = 1u << 5,  // tiles with int8 products
  kAmxBf16 = 1u << 6,  // and with bf16 products
};

// The value of --isa: an upper bound on what may be used.
enum class IsaLevel { scalar, avx2, avx512, amx };
std::string_view name_of(IsaLevel level);
std::optional<IsaLevel> isa_level_named(std::string_view name);
uint32_t features_of(IsaLevel level);          // the mask that a level allows
uint32_t base_features_of(IsaLevel level);     // what a machine must have for that level to be allowed
std::string describe_features(uint32_t mask);  // "avx2+avx512+avx512vnni", or "scalar"

// All levels, from the oldest on, and their names: "scalar, avx2, ...".
std::span<const IsaLevel> isa_levels();
std::string isa_level_names();

struct Machine {
  std::string cpu_model;
  int cores = 1;  // physical cores this process may use
  int cpus = 1;   // logical CPUs this process may use
  int numa_nodes = 1;
  size_t l1_bytes = 32 << 10, l2_bytes = 1 << 20, l3_bytes = 16 << 20;  // per core, per core, shared
  uint64_t memory_bytes = 0;
  uint32_t features = 0;  // CpuFeature mask
  std::string withheld;   // what the CPU has and this process may not use, and why; or empty

  // Measured by `profile --calibrate`, otherwise cautious defaults with measured == false.
  bool measured = false;
  double read_bytes_per_s = 20e9;  // all cores, streaming
  double int8_ops_per_s = 400e9;   // all cores, best int8 dot instruction
  double f32_flops_per_s = 100e9;  // all cores, FMA
};

bool has_level(const Machine& machine, IsaLevel level);

// "this CPU (model) has only avx2+...", and what is withheld from this process.
std::string describe_instruction_sets(const Machine& machine);

// Reads CPUID, hwloc and the affinity mask of this process; asks Linux for the tile unit, for the whole process, where the CPU has one.
Machine detect_machine();

// `machine` cut down to a level. Throws Error{invalid_argument} where the CPU does not have the level.
Machine restrict_isa(Machine machine, IsaLevel level);

}  // namespace hyalite
