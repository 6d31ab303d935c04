#include "tensor/affine.h"

#include <cmath>
#include <cstring>

#include "base/error.h"
#include "tensor/half.h"

namespace hyalite {
namespace {

// value = scale * (code - zero), codes 0 to levels. The zero point is a whole number.
struct Grid {
  float scale = 0, inverse = 0, zero = 0, levels = 0;
};

struct Range {
  float low = 0, high = 0;
};

Range range_of(const float* values, int64_t count) {
  Range range;
  for (int64_t i = 0; i < count; ++i) {
    range.low = values[i] < range.low ? values[i] : range.low;
    range.high = values[i] > range.high ? values[i] : range.high;
  }
  return range;
}

bool all_finite(const float* values, int64_t count) {
  float sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += values[i] * 0.0f;
  return sum == 0.0f;
}

// Nearest whole number, halves to even. REQUIRES: |x| < 2^22.
float rounded(float x) {
  constexpr float kPush = 0x1.8p23f;
  return (x + kPush) - kPush;
}

Grid grid_of(Range range, float levels, bool half_scale) {
  Grid grid{.levels = levels};
  grid.scale = (range.high - range.low) / levels;
  if (half_scale) grid.scale = half_to_float(float_to_half(grid.scale));
  if (!(grid.scale > 0x1p-120f)) return Grid{.levels = levels};  // nothing but zeros
  grid.inverse = 1 / grid.scale;
  const float zero = rounded(-range.low * grid.inverse);
  grid.zero = zero < levels ? zero : levels;
  return grid;
}

float code_of(float value, const Grid& grid) {
  const float code = rounded(value * grid.inverse) + grid.zero;
  const float above = code > 0 ? code : 0;
  return above < grid.levels ? above : grid.levels;
}

// Sum of importance * (value - rounded)^2, in eight sums side by side.
float loss_of(const float* values, const float* importance, int64_t count, const Grid& grid) {
  constexpr int kSums = 8;  // divides every block
  float sums[kSums] = {};
  for (int64_t i = 0; i < count; i += kSums)
    for (int lane = 0; lane < kSums; ++lane) {
      const float value = values[i + lane], error = value - grid.scale * (code_of(value, grid) - grid.zero);
      sums[lane] += importance[i + lane] * error * error;
    }
  float sum = 0;
  for (float one : sums) sum += one;
  return sum;
}

// The grid over all values, or the best of those that cut the upper end, then the lower end of their range.
Grid best_grid(const float* values, const float* importance, int64_t count, float levels, bool half_scale) {
  constexpr int kSteps = 12;
  constexpr float kStep = 0.04f;
  const Range whole = range_of(values, count);
  Range range = whole;
  Grid best = grid_of(range, levels, half_scale);
  if (!importance) return best;
  float least = loss_of(values, importance, count, best);
  for (float Range::*end : {&Range::high, &Range::low}) {
    Range cut = range;
    for (int i = 1; i <= kSteps; ++i) {
      cut.*end = whole.*end * (1 - kStep * static_cast<float>(i));
      const Grid grid = grid_of(cut, levels, half_scale);
      const float loss = loss_of(values, importance, count, grid);
      if (loss < least) least = loss, best = grid, range = cut;
    }
  }
  return best;
}

uint8_t byte_of(float code) {
  return static_cast<uint8_t>(static_cast<int>(code));
}

bool encode_row(const float* values, const float* importance, int64_t columns, uint8_t* row, int header) {
  const Grid grid = best_grid(values, importance, columns, 255, false);
  std::memset(row, 0, static_cast<size_t>(header));
  std::memcpy(row, &grid.scale, sizeof grid.scale);
  row[4] = byte_of(grid.zero);
  for (int64_t i = 0; i < columns; ++i) row[header + i] = byte_of(code_of(values[i], grid));
  return std::isfinite(grid.scale);
}

bool encode_group(const float* values, const float* importance, int64_t columns, uint8_t* block) {
  const Grid grid = best_grid(values, importance, columns, 15, true);
  const uint16_t scale = float_to_half(grid.scale);
  std::memcpy(block, &scale, sizeof scale);
  block[2] = byte_of(grid.zero);
  for (int64_t i = 0; i < columns; i += 2)
    block[3 + i / 2] = static_cast<uint8_t>(byte_of(code_of(values[i], grid)) | byte_of(code_of(values[i + 1], grid)) << 4);
  return std::isfinite(grid.scale);
}

}  // namespace

bool is_affine(DType dtype) {
  return dtype == DType::int8 || dtype == DType::int4_g32 || dtype == DType::int4_g64 || dtype == DType::int4_g128;
}

bool encode_affine(DType dtype, const float* values, const float* importance, int64_t columns, uint8_t* row) {
  const FormatSpec& format = format_of(dtype);
  HYALITE_CHECK(is_affine(dtype) && columns % format.block_elements == 0, std::string(format.name));
  if (!all_finite(values, columns)) return false;
  if (format.row_header_bytes) return encode_row(values, importance, columns, row, format.row_header_bytes);
  for (int64_t k = 0; k < columns; k += format.block_elements, row += format.block_bytes)
    if (!encode_group(values + k, importance ? importance + k : nullptr, format.block_elements, row)) return false;
  return true;
}

}  // namespace hyalite
