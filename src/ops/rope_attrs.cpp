#include "ops/rope_attrs.h"

#include <cmath>

#include "ops/type_rules.h"

namespace hyalite {

int64_t check_rope(const Problem& problem, size_t freqs_index) {
  const int64_t head_dim = positive_attr(problem, "head_dim");
  const TensorType& freqs = tensor_of(problem, freqs_index, "freqs");
  bool fits = freqs.dtype == DType::f32 && freqs.rank() == 1 && !freqs.dims[0].is_symbol() && 2 * freqs.dims[0].value() <= head_dim;
  expect(fits, "freqs", "must be an f32 vector of at most " + std::to_string(head_dim / 2) + ", is " + to_string(freqs));
  return head_dim;
}

RopeParams rope_params(const Attrs& attrs) {
  return {
      .head_dim = static_cast<int32_t>(attrs.integer("head_dim")),
      .scale = static_cast<float>(attrs.real("scale", 1)),
      .interleaved = attrs.boolean("interleaved", false),
  };
}

std::string fault_of_factors(std::span<const float> factors) {
  for (size_t i = 0; i < factors.size(); ++i)
    if (!std::isfinite(factors[i]) || factors[i] < kMinRopeFactor)
      return "factor " + std::to_string(i) + " is " + std::to_string(factors[i]) + ", expected 0.75 or more";
  return {};
}

}  // namespace hyalite
