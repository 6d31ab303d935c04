#include "ops/numerics.h"

#include <algorithm>
#include <iterator>

namespace hyalite {
namespace {

constexpr std::string_view kNames[] = {"deterministic", "fast", "reference"};  // in the order of the enumerators

}  // namespace

std::string_view name_of(Numerics numerics) {
  return kNames[static_cast<size_t>(numerics)];
}

std::optional<Numerics> numerics_named(std::string_view name) {
  const auto* found = std::ranges::find(kNames, name);
  if (found == std::end(kNames)) return std::nullopt;
  return static_cast<Numerics>(found - std::begin(kNames));
}

}  // namespace hyalite
