#include "base/largest.h"

#include <cstring>
#include <limits>

namespace hyalite {
namespace {

constexpr size_t kBlock = 1024;

using Vector = float __attribute__((vector_size(16)));

// NaN never is greater.
Vector greater(const float* values, Vector best) {
  Vector value;
  std::memcpy(&value, values, sizeof value);
  return value > best ? value : best;
}

// Four registers keep comparisons from waiting for each other.
float largest_of_block(const float* values) {
  constexpr float least = -std::numeric_limits<float>::infinity();
  Vector a{least, least, least, least}, b = a, c = a, d = a;
  for (size_t i = 0; i < kBlock; i += 16) {
    a = greater(values + i, a), b = greater(values + i + 4, b);
    c = greater(values + i + 8, c), d = greater(values + i + 12, d);
  }
  a = a > b ? a : b, c = c > d ? c : d, a = a > c ? a : c;
  float largest = least;
  for (int lane = 0; lane < 4; ++lane) largest = a[lane] > largest ? a[lane] : largest;
  return largest;
}

bool nan_in_block(const float* values) {
  using Mask = decltype(Vector{} != Vector{});
  Mask a{}, b{};
  for (size_t i = 0; i < kBlock; i += 8) {
    Vector first, second;
    std::memcpy(&first, values + i, sizeof first), std::memcpy(&second, values + i + 4, sizeof second);
    a |= first != first, b |= second != second;  // NOLINT(misc-redundant-expression): only NaN is
  }
  a |= b;
  return a[0] || a[1] || a[2] || a[3];
}

}  // namespace

int64_t index_of_largest(std::span<const float> values) {
  float best = -std::numeric_limits<float>::infinity();
  size_t at = 0, i = 0;
  bool found = false;
  const auto look = [&](size_t begin, size_t end) {
    for (size_t k = begin; k < end; ++k)
      if (found ? values[k] > best : values[k] >= best) best = values[k], at = k, found = true;
  };
  for (; i + kBlock <= values.size(); i += kBlock) {
    if (!found || largest_of_block(values.data() + i) > best) look(i, i + kBlock);
  }
  look(i, values.size());
  return static_cast<int64_t>(at);
}

bool any_nan(std::span<const float> values) {
  size_t i = 0;
  for (; i + kBlock <= values.size(); i += kBlock)
    if (nan_in_block(values.data() + i)) return true;
  for (; i < values.size(); ++i)
    if (values[i] != values[i]) return true;
  return false;
}

}  // namespace hyalite
