// embed.rows16 and embed.planes16 read rows of a packed table, so that a tied head and the embedding share one copy; embed.rows reads the
// file's layout.
#include <string>

#include "base/error.h"
#include "kernels/kernel_variants.h"

namespace hyalite {
namespace {

constexpr char kRows16[] = "rows16", kPlanes16[] = "planes16";

template <const char* layout>
std::string refuse_unpacked(const Problem& problem) {
  const TensorType& table = problem.operands[1].tensor;
  if (!packed_layout_of(table.dtype, layout)) return "table " + std::string(format_of(table.dtype).name) + " has no layout " + layout;
  return "";
}

std::string refuse_nothing(const Problem& /*problem*/) {
  return "";
}

double seconds(const Problem& problem, const Machine& machine) {
  return cost_of(*find_op("embed"), problem).bytes / machine.read_bytes_per_s;
}

int64_t checked_row(const TensorView& ids, const TensorView& table, int64_t t) {
  const int32_t id = ids.as<int32_t>()[t];
  if (id < 0 || id >= table.rows())
    throw Error(ErrorCode::invalid_argument, "token " + std::to_string(t),
                "id " + std::to_string(id) + " is outside 0.." + std::to_string(table.rows() - 1));
  return id;
}

template <const char* kind>
void run_packed(const OpArgs& args, WorkRange range) {
  const TensorView &ids = args.inputs[0], &table = args.inputs[1];
  const PackedLayout& layout = *packed_layout_of(table.dtype, kind);
  for (int64_t t = range.begin(ids.columns()); t < range.end(ids.columns()); ++t)
    layout.unpack_row(static_cast<const uint8_t*>(table.data), table.rows(), table.columns(), checked_row(ids, table, t),
                      args.outputs[0].as<float>() + t * table.columns());
}

void run_plain(const OpArgs& args, WorkRange range) {
  const TensorView &ids = args.inputs[0], &table = args.inputs[1];
  const FormatSpec& format = format_of(table.dtype);
  for (int64_t t = range.begin(ids.columns()); t < range.end(ids.columns()); ++t)
    format.decode(table.row(checked_row(ids, table, t)), table.columns() / format.block_elements,
                  args.outputs[0].as<float>() + t * table.columns());
}

}  // namespace

constinit const KernelVariant variant_embed_rows16{
    "embed.rows16", "embed", "hyalite", 0, 1, kRows16, 0.0, refuse_unpacked<kRows16>, seconds, nullptr, run_packed<kRows16>};
constinit const KernelVariant variant_embed_planes16{
    "embed.planes16", "embed", "hyalite", 0, 1, kPlanes16, 0.0, refuse_unpacked<kPlanes16>, seconds, nullptr, run_packed<kPlanes16>};
constinit const KernelVariant variant_embed_rows{"embed.rows", "embed",        "hyalite", 0,       1,        "",
                                                 0.0,          refuse_nothing, seconds,   nullptr, run_plain};

}  // namespace hyalite
