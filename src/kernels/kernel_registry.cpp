// The registry: every CPU variant in the order of cpu/variants.inc, and one reference variant for each op that can be a step.
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "kernels/kernel_layouts.h"
#include "kernels/kernel_variants.h"

namespace hyalite {
namespace {

constexpr const KernelVariant* kVariants[] = {
#define VARIANT(name) &variant_##name,
#include "kernels/cpu/variants.inc"
#undef VARIANT
};

constexpr const PackedLayout* kLayouts[] = {
#define LAYOUT(name) &layout_##name,
#include "kernels/cpu/layouts.inc"
#undef LAYOUT
};

constexpr size_t kOpCount = 0
#define OP(name) +1
#include "ops/ops.inc"
#undef OP
    ;

// Reference code is written for clarity: about one operation a nanosecond, whatever the machine.
double reference_seconds(const OpSpec& op, const Problem& problem, const Machine& machine) {
  const Cost cost = cost_of(op, problem);
  return std::max(cost.flops * 1e-9, cost.bytes / machine.read_bytes_per_s);
}

// A row holds plain function pointers, so the op must be part of the function.
template <size_t index>
double reference_seconds_of(const Problem& problem, const Machine& machine) {
  return reference_seconds(*all_ops()[index], problem, machine);
}

// Ops that the compiler evaluates or the loader carries out are never steps.
bool can_be_a_step(const OpSpec& op) {
  return op.evaluate != nullptr && op.name != "convert";
}

struct ReferenceVariants {
  std::array<std::string, kOpCount> names;  // what the rows' names point into
  std::array<KernelVariant, kOpCount> rows{};

  template <size_t... index>
  explicit ReferenceVariants(std::index_sequence<index...>) {
    (add(index, reference_seconds_of<index>), ...);
  }

  void add(size_t index, double (*seconds)(const Problem&, const Machine&)) {
    const OpSpec& op = *all_ops()[index];
    if (!can_be_a_step(op)) return;
    names[index] = std::string(op.name) + ".reference";
    rows[index] = {.name = names[index],
                   .op = op.name,
                   .provider = "hyalite",
                   .needs = 0,
                   .phases = 1,
                   .error_bound = 0,
                   .refuses = [](const Problem&) { return std::string(); },
                   .seconds = seconds,
                   .workspace = nullptr,
                   .run = op.evaluate};
  }
};

const ReferenceVariants& reference_variants() {
  static const ReferenceVariants variants{std::make_index_sequence<kOpCount>()};
  return variants;
}

}  // namespace

std::span<const KernelVariant* const> cpu_variants() {
  return kVariants;
}

std::string lacks(const KernelVariant& variant, uint32_t features) {
  if (const uint32_t missing = variant.needs & ~features) return "needs " + describe_features(missing);
  return variant.library_missing ? variant.library_missing() : std::string();
}

const KernelVariant* reference_variant(std::string_view op) {
  for (const KernelVariant& row : reference_variants().rows) {
    if (row.run != nullptr && row.op == op) return &row;
  }
  return nullptr;
}

const KernelVariant* find_variant(std::string_view name) {
  for (const KernelVariant* row : kVariants) {
    if (row->name == name) return row;
  }
  for (const KernelVariant& row : reference_variants().rows) {
    if (row.run != nullptr && row.name == name) return &row;
  }
  return nullptr;
}

const PackedLayout* packed_layout_of(DType dtype, std::string_view kind) {
  for (const PackedLayout* layout : kLayouts) {
    if (layout->dtype == dtype && layout->kind == kind) return layout;
  }
  return nullptr;
}

std::vector<DType> packed_formats(std::string_view kind) {
  std::vector<DType> formats;
  for (const PackedLayout* layout : kLayouts)
    if (layout->kind == kind) formats.push_back(layout->dtype);
  return formats;
}

}  // namespace hyalite
