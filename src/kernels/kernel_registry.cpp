// The registry: every CPU variant in the order of cpu/variants.inc, and one reference variant for each op that can be a step.
#include <algorithm>
#include <string>
#include <vector>

#include "kernels/kernel_layouts.h"
#include "kernels/kernel_variants.h"

namespace hyalite {
namespace {

constexpr const KernelVariant* cpu_rows[] = {
#define VARIANT(name) &variant_##name,
#include "kernels/cpu/variants.inc"
#undef VARIANT
};

// Ops that the compiler evaluates or the loader carries out, never a step of a plan.
bool is_never_a_step(const OpSpec& op) {
  return op.evaluate == nullptr || op.name == "convert";
}

constexpr const PackedLayout* layouts[] = {
#define LAYOUT(name) &layout_##name,
#include "kernels/cpu/layouts.inc"
#undef LAYOUT
};

// Written for clarity: two orders of magnitude below what the units can do.
double reference_seconds(const Problem& problem, const Machine& machine) {
  constexpr double slowdown = 100;
  double bytes = 0, multiplied = 0;
  for (const auto values : {problem.operands, problem.results}) {
    for (const ValueType& value : values) {
      if (value.kind != ValueType::Kind::tensor) continue;
      bytes += static_cast<double>(bytes_of(value.tensor, problem.symbols));
      if (value.tensor.rank() == 2 && !value.tensor.dims[0].is_symbol()) {  // a weight: each element meets each token
        multiplied += static_cast<double>(value.tensor.dims[0].value() * value.tensor.dims[1].value());
      }
    }
  }
  const double flops = 2 * multiplied * static_cast<double>(problem.symbols.tokens);
  return slowdown * std::max(bytes / machine.read_bytes_per_s, flops / machine.f32_flops_per_s);
}

struct ReferenceVariants {
  std::vector<std::string> names;  // what the rows' names point into
  std::vector<KernelVariant> rows;
};

ReferenceVariants make_reference_variants() {
  ReferenceVariants all;
  all.names.reserve(all_ops().size());
  for (const OpSpec* op : all_ops()) {
    if (is_never_a_step(*op)) continue;
    all.names.push_back(std::string(op->name) + ".reference");
    all.rows.push_back({.name = all.names.back(),
                        .op = op->name,
                        .provider = "hyalite",
                        .needs = 0,
                        .phases = 1,
                        .packed_weights = false,
                        .error_bound = 0,
                        .refuses = [](const Problem&) { return std::string(); },
                        .seconds = reference_seconds,
                        .workspace = nullptr,
                        .run = op->evaluate});
  }
  return all;
}

const ReferenceVariants& reference_variants() {
  static const ReferenceVariants all = make_reference_variants();
  return all;
}

}  // namespace

std::span<const KernelVariant* const> cpu_variants() {
  return cpu_rows;
}

const KernelVariant* reference_variant(std::string_view op) {
  for (const KernelVariant& row : reference_variants().rows) {
    if (row.op == op) return &row;
  }
  return nullptr;
}

const PackedLayout* packed_layout_of(DType dtype) {
  for (const PackedLayout* layout : layouts) {
    if (layout->dtype == dtype) return layout;
  }
  return nullptr;
}

const KernelVariant* find_variant(std::string_view name) {
  for (const KernelVariant* row : cpu_rows) {
    if (row->name == name) return row;
  }
  for (const KernelVariant& row : reference_variants().rows) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

}  // namespace hyalite
