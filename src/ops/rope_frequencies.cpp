// Rotary frequencies and their context extensions. Formulas: linear, llama3 (Llama 3.1 release) and YaRN (Peng et al. 2023, section 3).
#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/error.h"
#include "ops/op_table.h"
#include "ops/reference.h"
#include "ops/rope_attrs.h"
#include "ops/type_rules.h"

namespace hyalite {
namespace {

enum class Scaling : int32_t { none, linear, llama3, yarn };
constexpr int64_t kMaxDims = 65536;  // of one head; bounds what folding allocates
constexpr const char* kScalings[] = {"none", "linear", "llama3", "yarn"};

struct Params {
  double theta, factor, low_freq_factor, high_freq_factor, original_context, beta_fast, beta_slow;
  int32_t dims;
  Scaling scaling;
  bool truncate;
};
static_assert(sizeof(Params) <= kMaxParamBytes);

constexpr OperandSpec kOperands[] = {{"factors", kTensor, true}};
constexpr OperandSpec kResults[] = {{"freqs", kTensor}};
constexpr AttrSpec kAttrs[] = {
    {"theta", "real", true},
    {"dims", "int", true},
    {"scaling", "text", false},
    {"factor", "real", false},
    {"low_freq_factor", "real", false},
    {"high_freq_factor", "real", false},
    {"original_context", "real", false},
    {"beta_fast", "real", false},
    {"beta_slow", "real", false},
    {"truncate", "bool", false},
};

void bind(const Attrs& attrs, void* params) {
  const std::string scaling = attrs.text("scaling", "none");
  const auto row = std::find(std::begin(kScalings), std::end(kScalings), scaling) - std::begin(kScalings);
  *static_cast<Params*>(params) = {
      .theta = attrs.real("theta"),
      .factor = attrs.real("factor", 1),
      .low_freq_factor = attrs.real("low_freq_factor", 1),
      .high_freq_factor = attrs.real("high_freq_factor", 4),
      .original_context = attrs.real("original_context", 0),
      .beta_fast = attrs.real("beta_fast", 32),
      .beta_slow = attrs.real("beta_slow", 1),
      .dims = static_cast<int32_t>(attrs.integer("dims")),
      .scaling = static_cast<Scaling>(row),
      .truncate = attrs.boolean("truncate", true),
  };
}

std::vector<ValueType> infer(const Problem& problem) {
  check_choice(problem.attrs->text("scaling", "none"), "scaling", {"none", "linear", "llama3", "yarn"});
  const int64_t dims = positive_attr(problem, "dims");
  Params params;
  bind(*problem.attrs, &params);
  expect(dims % 2 == 0 && dims <= kMaxDims, "dims", "must be even and at most 65536, is " + std::to_string(dims));
  expect(params.theta > 1, "theta", "must be above 1");
  expect(params.scaling == Scaling::none || params.factor >= 1, "factor", "must be 1 or more");
  bool needs_context = params.scaling == Scaling::llama3 || params.scaling == Scaling::yarn;
  expect(!needs_context || params.original_context > 0, "original_context", "must be positive");
  bool ordered = params.low_freq_factor > 0 && params.high_freq_factor > params.low_freq_factor;
  expect(params.scaling != Scaling::llama3 || ordered, "high_freq_factor", "must be above low_freq_factor, and both positive");
  expect(params.scaling != Scaling::yarn || (params.beta_slow > 0 && params.beta_fast > 0), "beta_fast", "and beta_slow must be positive");
  if (given(problem, 0)) expect_vector(problem, 0, "factors", dims / 2);
  return {ValueType::of({DType::f32, {Dim(dims / 2)}})};
}

// Wavelengths beyond the original context are stretched by `factor`, short ones kept, those between blended.
double llama3(const Params& p, double frequency) {
  const double wavelength = 2 * std::numbers::pi / frequency;
  if (wavelength > p.original_context / p.low_freq_factor) return frequency / p.factor;
  if (wavelength < p.original_context / p.high_freq_factor) return frequency;
  const double smooth = (p.original_context / wavelength - p.low_freq_factor) / (p.high_freq_factor - p.low_freq_factor);
  return (1 - smooth) * frequency / p.factor + smooth * frequency;
}

// The dimension pair that turns `rotations` times within the original context.
double yarn_dimension(const Params& p, double rotations) {
  return p.dims * std::log(p.original_context / (2 * std::numbers::pi * rotations)) / (2 * std::log(p.theta));
}

double yarn(const Params& p, double frequency, int64_t pair) {
  double low = yarn_dimension(p, p.beta_fast), high = yarn_dimension(p, p.beta_slow);
  if (p.truncate) low = std::floor(low), high = std::ceil(high);
  low = std::max(low, 0.0);
  high = std::min(high, p.dims - 1.0);
  if (low == high) high += 0.001;
  const double ramp = std::clamp((static_cast<double>(pair) - low) / (high - low), 0.0, 1.0);
  return frequency * (1 - ramp) + frequency / p.factor * ramp;
}

double scaled(const Params& p, double frequency, int64_t pair) {
  switch (p.scaling) {
    case Scaling::none: return frequency;
    case Scaling::linear: return frequency / p.factor;
    case Scaling::llama3: return llama3(p, frequency);
    case Scaling::yarn: return yarn(p, frequency, pair);
  }
  return frequency;
}

void evaluate(const OpArgs& args, WorkRange range) {
  if (range.index != 0) return;
  const Params& p = *static_cast<const Params*>(args.params);
  const FloatVector factors(args.inputs[0]);
  if (factors.data())
    if (const std::string fault = fault_of_factors({factors.data(), static_cast<size_t>(p.dims / 2)}); !fault.empty())
      throw Error(ErrorCode::invalid_model, "rope_frequencies", fault);
  for (int64_t i = 0; i < p.dims / 2; ++i) {
    const double frequency = std::pow(p.theta, -2.0 * static_cast<double>(i) / p.dims);
    args.outputs[0].as<float>()[i] = static_cast<float>(scaled(p, frequency, i) / (factors.data() ? factors.data()[i] : 1.0f));
  }
}

}  // namespace

constinit const OpSpec op_rope_frequencies{
    .name = "rope_frequencies",
    .summary = "freqs[i] = theta^(-2i / dims), stretched as `scaling` says, divided by factors[i] where they are given.",
    .operands = kOperands,
    .results = kResults,
    .attrs = kAttrs,
    .infer = infer,
    .bind = bind,
    .evaluate = evaluate,
    .foldable = true,
};

}  // namespace hyalite
