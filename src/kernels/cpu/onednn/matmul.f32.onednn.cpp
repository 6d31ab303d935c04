// matmul of f32 weights by oneDNN. Threads share panels of kPanelRows rows of weights; of each, kPanelColumns columns at a time are laid
// side by side on the stack, from the groups of 16 rows that they are packed in, and multiplied by all rows of the step at once. So there
// is never a second copy of the weights, and laying them out pays where rows are many.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "kernels/cpu/linear/problem.h"
#include "kernels/cpu/onednn/library.h"
#include "kernels/kernel_variants.h"

namespace hyalite {
namespace {

constexpr int64_t kPanelGroups = 3;  // 48 columns are what its AVX-512 kernel takes at once
constexpr int64_t kPanelRows = kPanelGroups * kGroupRows, kPanelColumns = 256;
constexpr int64_t kLeastRows = 16;  // fewer never pay for the laying out; up to about 64 it was measured to gain nothing
constexpr LinearRates kRates{0, 0.98};

std::string refuses(const Problem& problem) {
  if (std::string why = linear::refuse_weight(problem, DType::f32); !why.empty()) return why;
  const int64_t rows = problem.operands[0].tensor.dims[0].bind(problem.symbols);
  return rows < kLeastRows ? fmt::format("pays from {} rows on, here are at most {}", kLeastRows, rows) : std::string();
}

std::string how(const Problem&) {
  return fmt::format("oneDNN {} multiplies all rows by {} rows and {} columns of weights at a time", onednn().version, kPanelRows,
                     kPanelColumns);
}

std::string library_missing() {
  return onednn().missing;
}

// A weight in rows16.
struct Packed {
  const float* data;
  int64_t rows, columns;
};

// Columns [first, past) of the panel that begins at a group: panel[column][kPanelRows].
void lay_out(const Packed& weight, int64_t group, int64_t first, int64_t past, float* panel) {
  const int64_t groups = std::min(kPanelGroups, groups_of(weight.rows) - group);
  for (int64_t g = 0; g < groups; ++g) {
    const float* from = weight.data + ((group + g) * weight.columns + first) * kGroupRows;
    float* to = panel + g * kGroupRows;
    for (int64_t k = first; k < past; ++k, from += kGroupRows, to += kPanelRows) std::memcpy(to, from, kGroupRows * sizeof(float));
  }
}

void run(const OpArgs& args, WorkRange range) {
  const OneDnn& library = onednn();
  const OneThread alone(library);
  const TensorView& x = args.inputs[0];
  const Packed weight{args.inputs[1].as<float>(), args.inputs[1].rows(), args.inputs[1].columns()};
  const int64_t panels = (weight.rows + kPanelRows - 1) / kPanelRows, past_panel = range.end(panels);
  alignas(64) float panel[kPanelRows * kPanelColumns];
  for (int64_t p = range.begin(panels); p < past_panel; ++p) {
    const int64_t wide = std::min(kPanelRows, weight.rows - p * kPanelRows);
    for (int64_t first = 0, past; first < weight.columns; first = past) {
      past = std::min(first + kPanelColumns, weight.columns);
      lay_out(weight, p * kPanelGroups, first, past, panel);
      const int status = library.multiply('N', 'N', x.rows(), wide, past - first, 1.0f, x.as<float>() + first, weight.columns, panel,
                                          kPanelRows, first == 0 ? 0.0f : 1.0f, args.outputs[0].as<float>() + p * kPanelRows, weight.rows);
      if (status != 0) throw Error(ErrorCode::io, "oneDNN " + library.version, fmt::format("dnnl_sgemm failed with status {}", status));
    }
  }
}

}  // namespace

constinit const KernelVariant variant_matmul_f32_onednn{.name = "matmul.f32.onednn",
                                                        .op = "matmul",
                                                        .provider = "onednn",
                                                        .needs = kAvx512,  // which it takes wherever it is, whatever --isa says
                                                        .phases = 1,
                                                        .layout = "rows16",
                                                        .error_bound = linear::kDenseBound,
                                                        .refuses = refuses,
                                                        .seconds = linear::seconds<kRates>,
                                                        .workspace = nullptr,
                                                        .run = run,
                                                        .how = how,
                                                        .depends_on_rows = true,
                                                        .library_missing = library_missing};

}  // namespace hyalite
