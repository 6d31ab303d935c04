#include "kernels/cpu/linear/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "kernels/cpu/roofline.h"
#include "ops/paged_cache.h"

namespace hyalite::linear {
namespace {

bool given(const Problem& problem, size_t index) {
  return index < problem.operands.size() && problem.operands[index].kind == ValueType::Kind::tensor;
}

const TensorType& tensor(const Problem& problem, size_t index) {
  return problem.operands[index].tensor;
}

// Weights are the matrices of constant size after the input; everything else is a vector.
bool is_weight(const Problem& problem, size_t index) {
  return index > 0 && given(problem, index) && tensor(problem, index).rank() == 2;
}

std::string not_f32(const Problem& problem, size_t index, const char* name) {
  if (!given(problem, index) || tensor(problem, index).dtype == DType::f32) return "";
  return std::string(name) + " is " + std::string(format_of(tensor(problem, index).dtype).name) + ", must be f32";
}

std::string first_reason(std::initializer_list<std::string> reasons) {
  auto it = std::find_if(reasons.begin(), reasons.end(), [](const std::string& reason) { return !reason.empty(); });
  return it == reasons.end() ? "" : *it;
}

std::string activations_of(const Problem& problem) {
  return problem.attrs->text("activations", "f32");
}

std::string refuse_weights(const Problem& problem, size_t first, size_t count) {
  for (size_t i = first; i < first + count; ++i) {
    const DType dtype = tensor(problem, i).dtype;
    const std::string name(format_of(dtype).name);
    if (!row_format_of(dtype)) return "weight " + name + " has no row kernel";
    if (multiplies_int8(dtype) && activations_of(problem) != "q8" && activations_of(problem) != "q8x2")
      return "weight " + name + " needs int8 activations, asked for activations = " + activations_of(problem);
  }
  return not_f32(problem, 0, "x");
}

std::string refuse_unless_bf16(const Problem& problem, size_t first, size_t count) {
  for (size_t i = first; i < first + count; ++i) {
    const DType dtype = tensor(problem, i).dtype;
    if (dtype != DType::bf16) return "weight is " + std::string(format_of(dtype).name);
  }
  if (activations_of(problem) == "bf16") return "";
  return "rounds activations to bf16, asked for activations = " + activations_of(problem);
}

int64_t tokens_of(const Problem& problem) {
  return tensor(problem, 0).dims[0].bind(problem.symbols);
}

// Rows of activations per token: MatmulParams::planes.
int64_t planes_of(const Problem& problem, DType weight) {
  return multiplies_int8(weight) && activations_of(problem) == "q8x2" ? 2 : 1;
}

// "8 rows"; where activations have two planes, "8 rows of 2 planes".
std::string describe_rows(const Problem& problem) {
  const int64_t rows = tokens_of(problem);
  const bool twice = planes_of(problem, tensor(problem, 1).dtype) == 2;
  return fmt::format("{} row{}{}", rows, rows == 1 ? "" : "s", twice ? " of 2 planes" : "");
}

// Rows of activations to multiply by: those of the step, twice where they have two planes.
int64_t activation_rows(const Problem& problem) {
  return tokens_of(problem) * planes_of(problem, tensor(problem, 1).dtype);
}

// How `rows` are cut: "a tile of 4", "tiles of 4, then 2 and 1".
std::string describe_widths(int64_t rows, int tile) {
  std::vector<int64_t> widths;
  for (int64_t left = rows, width; left > 0; left -= width) {
    width = tile_width(left, tile);
    if (widths.empty() || widths.back() != width) widths.push_back(width);
  }
  std::string text = fmt::format("{} of {}", widths[0] == rows ? "a tile" : "tiles", widths[0]);
  for (size_t i = 1; i < widths.size(); ++i) text += fmt::format("{}{}", i == 1 ? ", then " : " and ", widths[i]);
  return text;
}

// "once", or how often weights are gone through for rows that are taken about `step` at a time; `stay`: where such rows stay.
std::string describe_times(int64_t rows, int64_t step, int tile, const char* stay) {
  int64_t times = 0, most = 0;
  for (int64_t first = 0, past; first < rows; first = past, ++times) {
    past = end_of_tiles(first, step, rows, tile);
    most = std::max(most, past - first);
  }
  return times == 1 ? "once" : fmt::format("{} times, for at most {} rows {}", times, most, stay);
}

// Whether `is` holds for the formats of all weights.
template <class Is>
bool all_weights(const Problem& problem, const Is& is) {
  for (size_t i = 1; i < problem.operands.size(); ++i)
    if (is_weight(problem, i) && !is(tensor(problem, i).dtype)) return false;
  return true;
}

// What of the weights meets the tile unit.
const char* describe_tile_unit(const Problem& problem, int tile) {
  if (tile != kTileUnitRows) return "";
  const auto takes = [](DType dtype) { return fits_tile_unit(*row_format_of(dtype)); };
  if (all_weights(problem, takes)) return " and the tile unit";
  const bool none = all_weights(problem, [&](DType dtype) { return !takes(dtype); });
  return none ? "" : " and, for weights with one scale for 32 columns, the tile unit";
}

// `met`: the weights that a tile meets at a time. `in_turn`: all rows are done with a group before the next one is read.
std::string describe(const Problem& problem, int tile, bool unpacked, const std::string& met, bool in_turn = false) {
  const int64_t rows = activation_rows(problem);
  if (rows == 1) return "1 row: each weight is read once and meets one row";
  const std::string tiles = fmt::format("{} in {} by {}", describe_rows(problem), describe_widths(rows, tile), met);
  if (unpacked && rows >= kUnpackTokens)
    return fmt::format("{}{}; {} columns of weights are unpacked at a time, {}", tiles,
                       rows >= tile ? describe_tile_unit(problem, tile) : "", kChunkColumns,
                       describe_times(rows, kUnpackedTokens, tile, "whose sums stay in the L1 cache"));
  const int64_t step = in_turn ? rows : tokens_at_once(tensor(problem, 0).dims[1].value());
  return fmt::format("{}; weights come from memory {}", tiles, describe_times(rows, step, tile, "that stay in the L2 cache"));
}

// Whether weights are unpacked for many rows; for the tile unit, those that are a byte each already are taken apart too.
bool unpacks(const Problem& problem, const LinearTiles& tiles) {
  return tiles.unpacks && all_weights(problem, [&](DType dtype) {
           return multiplies_int8(dtype) && (tiles.tile == kTileUnitRows || has_small_codes(*row_format_of(dtype)));
         });
}

bool any_int8(const Problem& problem) {
  return !all_weights(problem, [](DType dtype) { return !multiplies_int8(dtype); });
}

LinearScratch scratch_of(const Problem& problem, int64_t angles) {
  bool q8 = false, dense = false;
  for (size_t i = 1; i < problem.operands.size(); ++i)
    if (is_weight(problem, i)) (multiplies_int8(tensor(problem, i).dtype) ? q8 : dense) = true;
  return linear_scratch(tokens_of(problem) * planes_of(problem, tensor(problem, 1).dtype), tensor(problem, 0).dims[1].value(), q8, dense,
                        angles);
}

LinearScratch normed_scratch(const Problem& problem) {
  return scratch_of(problem, angle_columns(tensor(problem, kNormedFreqs).dims[0].value()));
}

}  // namespace

std::string refuse_weight(const Problem& problem, DType only) {
  const DType dtype = tensor(problem, 1).dtype;
  if (dtype != only) return "weight is " + std::string(format_of(dtype).name);
  return refuse_weights(problem, 1, 1);
}

std::string refuse_planes(const Problem& problem, const PlaneFormat& format) {
  if (std::string why = refuse_weight(problem, format.row.dtype); !why.empty()) return why;
  if (activations_of(problem) != "q8x2") return "wants the activations rounded twice, asked for activations = " + activations_of(problem);
  const int64_t columns = tensor(problem, 1).dims[1].value();
  if (format.group_bytes(columns) > kMostPlaneBytes)
    return std::to_string(columns) + " columns are more than it puts together on its stack";
  return "";
}

std::string refuses_fused_qkv(const Problem& problem) {
  return first_reason({refuse_weights(problem, kQkvWeights, 3), not_f32(problem, kQkvBiases, "bq"), not_f32(problem, kQkvBiases + 1, "bk"),
                       not_f32(problem, kQkvBiases + 2, "bv")});
}

std::string refuses_fused_rmsnorm_qkv_rope(const Problem& problem) {
  constexpr int64_t kMostPositions = int64_t{1} << 22;  // isa/math.inc: sincos; frequencies are at most 4/3
  if (problem.max_positions > kMostPositions) return "turns no more than " + std::to_string(kMostPositions) + " positions";
  return first_reason({refuse_weights(problem, kNormedWeights, 3), not_f32(problem, kNormedNorm, "norm"),
                       not_f32(problem, kNormedBiases, "bq"), not_f32(problem, kNormedBiases + 1, "bk"),
                       not_f32(problem, kNormedBiases + 2, "bv"), not_f32(problem, kNormedHeadNorms, "q_norm"),
                       not_f32(problem, kNormedHeadNorms + 1, "k_norm")});
}

std::string refuses_fused_rmsnorm_qkv_rope_append(const Problem& problem) {
  if (!problem.cache) return "the layer has no cache";
  return refuses_fused_rmsnorm_qkv_rope(problem);
}

std::string refuses_fused_glu(const Problem& problem) {
  return refuse_weights(problem, 1, 2);
}

std::string refuses_bf16_matmul(const Problem& problem) {
  return first_reason({refuse_unless_bf16(problem, 1, 1), refuse_weights(problem, 1, 1)});
}

std::string refuses_bf16_fused_qkv(const Problem& problem) {
  return first_reason({refuse_unless_bf16(problem, kQkvWeights, 3), refuses_fused_qkv(problem)});
}

std::string refuses_bf16_fused_rmsnorm_qkv_rope(const Problem& problem) {
  return first_reason({refuse_unless_bf16(problem, kNormedWeights, 3), refuses_fused_rmsnorm_qkv_rope(problem)});
}

std::string refuses_bf16_fused_rmsnorm_qkv_rope_append(const Problem& problem) {
  return first_reason({refuse_unless_bf16(problem, kNormedWeights, 3), refuses_fused_rmsnorm_qkv_rope_append(problem)});
}

std::string refuses_bf16_fused_glu(const Problem& problem) {
  return first_reason({refuse_unless_bf16(problem, 1, 2), refuses_fused_glu(problem)});
}

std::string describe_tiles(const Problem& problem, const LinearTiles& tiles) {
  const bool paired = tiles.pairs && any_int8(problem) && tile_width(activation_rows(problem), tiles.tile) == 4;
  return describe(problem, tiles.tile, unpacks(problem, tiles), paired ? "two groups of 16 weight rows" : "a group of 16 weight rows");
}

std::string describe_appending_tiles(const Problem& problem, const LinearTiles& tiles) {
  return fmt::format("{}; k and v go straight to the cache as {}", describe_tiles(problem, tiles), format_of(problem.cache->dtype).name);
}

std::string describe_gated_tiles(const Problem& problem, const LinearTiles& tiles) {
  return describe(problem, tiles.tile, unpacks(problem, tiles), "a group of 16 rows of both weights");
}

std::string describe_screening(const Problem& problem, const LinearTiles& tiles) {
  std::string all = describe(problem, tiles.tile, unpacks(problem, tiles), "a group of 16 weight rows", true);
  if (tokens_of(problem) > kMostScreenedRows) return all;
  const bool one = tokens_of(problem) == 1;
  return fmt::format("{} row{}: where only the largest logits are wanted, {} first, then the groups of 16 that can hold them; else {}",
                     tokens_of(problem), one ? "" : "s",
                     one ? "the coarse plane of weights is read" : "the first plane of activations is multiplied", all);
}

// Of an op that writes k and v to the cache.
double append_seconds(const Problem& problem, const Machine& machine) {
  const double keys = static_cast<double>(tokens_of(problem) * problem.cache->kv_heads * problem.cache->head_dim);
  return scatter_seconds(keys, machine) + appended_bytes(problem) / cache_rate(machine);
}

// The slower of streaming the weights and multiplying; weights of one op are of one kind, or nearly.
double seconds_at(const Problem& problem, const Machine& machine, const LinearRates& rates) {
  const auto tokens = static_cast<double>(tokens_of(problem));
  double bytes = 0, work = 0;
  for (size_t i = 0; i < problem.operands.size(); ++i) {
    if (!given(problem, i)) continue;
    const TensorType& type = tensor(problem, i);
    bytes += static_cast<double>(bytes_of(type, problem.symbols));
    if (!is_weight(problem, i)) continue;
    const double operations = 2 * tokens * static_cast<double>(planes_of(problem, type.dtype)) * static_cast<double>(type.dims[0].value()) *
                              static_cast<double>(type.dims[1].value());
    work += operations / (multiplies_int8(type.dtype) ? machine.int8_ops_per_s * rates.int8 : machine.f32_flops_per_s * rates.f32);
  }
  for (const ValueType& result : problem.results)
    if (result.kind == ValueType::Kind::tensor) bytes += static_cast<double>(bytes_of(result.tensor, problem.symbols));
  const double streaming = std::max(bytes / machine.read_bytes_per_s, work);
  return problem.cache ? streaming + append_seconds(problem, machine) : streaming;
}

size_t workspace(const Problem& problem) {
  return static_cast<size_t>(scratch_of(problem, 0).bytes);
}

// The problem has the most rows of a plan; a step that can be screened may have fewer and need more.
size_t lm_head_workspace(const Problem& problem) {
  const int64_t tokens = tokens_of(problem), columns = tensor(problem, 0).dims[1].value();
  const int64_t groups = groups_of(tensor(problem, 1).dims[0].value());
  const auto bytes = [&](int64_t rows) { return static_cast<size_t>(lm_head_scratch(rows, columns, groups).bytes); };
  return std::max(bytes(tokens), bytes(std::min(tokens, kMostScreenedRows)));
}

size_t normed_workspace(const Problem& problem) {
  return static_cast<size_t>(normed_scratch(problem).bytes);
}

size_t append_workspace(const Problem& problem) {
  const int64_t kv_rows = tensor(problem, kNormedWeights + 1).dims[0].value();
  return static_cast<size_t>(append_scratch(normed_scratch(problem), tokens_of(problem), kv_rows).bytes);
}

}  // namespace hyalite::linear
