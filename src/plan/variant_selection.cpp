#include "plan/variant_selection.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "plan/problem_key.h"

namespace hyalite {
namespace {

using Layout = std::optional<std::string_view>;

std::string_view shown(std::string_view layout) {
  return layout.empty() ? "rows" : layout;
}

// Why the variant cannot run the problem; empty where it can.
std::string refusal(const KernelVariant& variant, const Problem& problem, Layout layout, const PlanOptions& options) {
  if (options.numerics == Numerics::reference) return "--numerics reference runs the reference evaluation only";
  if (const uint32_t missing = variant.needs & ~options.machine.features)
    return "needs " + describe_features(missing) + ", which this machine does not give at --isa " + std::string(name_of(options.isa));
  if (layout && variant.layout != *layout)
    return fmt::format("wants weights in {}, these are in {}", shown(variant.layout), shown(*layout));
  if (std::string why = variant.refuses(problem); !why.empty()) return why;
  if (variant.rounds_alone && options.numerics == Numerics::deterministic)
    return "rounds as no other does, which --numerics deterministic excludes";
  if (variant.depends_on_rows && options.numerics == Numerics::deterministic)
    return "its results depend on how many rows are multiplied at once, which --numerics deterministic excludes";
  return lacks(variant, options.machine.features);
}

ProblemScope scope_of(const PlanOptions& options) {
  return {options.isa, options.numerics, options.threads};
}

Layout matrix_layout(const PlanStep& step) {
  using Kind = PlanOperand::Kind;
  for (const PlanOperand& input : step.inputs)
    if ((input.kind == Kind::packed || input.kind == Kind::weight) && input.type.tensor.rank() == 2) return step.variant->layout;
  return {};
}

std::string describe(const VariantTiming& timing) {
  return fmt::format("{:.1f} us", timing.median_us);
}

class Selection {
 public:
  Selection(const Problem& problem, Layout layout, const PlanOptions& options) : problem_(problem), layout_(layout), options_(options) {}

  void choose(PlanStep& step) {
    for (const KernelVariant* variant : cpu_variants())
      if (variant->op == step.op->name) consider(*variant);
    step.variant = tuned(step);
    for (const Considered& one : considered_) {
      if (!step.variant && one.refusal.empty()) step.variant = one.variant;
      if (step.variant != one.variant) step.refused.push_back({std::string(one.variant->name), one.refusal});
    }
    if (!step.variant) step.variant = reference_variant(step.op->name);
    if (!step.variant)
      throw Error(ErrorCode::unsupported, step.path, fmt::format("no kernel for {}{}", step.op->name, first_refusal(step)));
    for (RefusedVariant& refused : step.refused)
      if (refused.why.empty()) refused.why = why_behind(*step.variant, refused.variant);
    explain(step);
  }

 private:
  struct Considered {
    const KernelVariant* variant;
    std::string refusal;  // empty: it is usable
  };

  void consider(const KernelVariant& variant) { considered_.push_back({&variant, refusal(variant, problem_, layout_, options_)}); }

  // What the tune record chooses; null where it knows nothing of the problem, or chooses what is not usable.
  const KernelVariant* tuned(const PlanStep& step) {
    if (!options_.tuned) return nullptr;
    const auto found = options_.tuned->choices.find(problem_key(*step.op, problem_, layout_.value_or(""), scope_of(options_)));
    if (found == options_.tuned->choices.end()) return nullptr;
    for (const Considered& one : considered_)
      if (one.refusal.empty() && one.variant->name == found->second.variant) {
        choice_ = &found->second;
        return one.variant;
      }
    return nullptr;
  }

  // Of a usable variant that was not chosen.
  std::string why_behind(const KernelVariant& chosen, const std::string& name) const {
    const VariantTiming* timing = choice_ ? choice_->find(name) : nullptr;
    if (timing) {
      const VariantTiming& taken = *choice_->find(chosen.name);
      return fmt::format("{} in the tune record: {} against {}, {} samples",
                         timing->median_us > taken.median_us ? "slower" : "not faster by more than the spread", describe(*timing),
                         describe(taken), timing->samples);
    }
    const std::string behind = choice_ ? "not in the tune record" : fmt::format("listed after {}", chosen.name);
    return fmt::format("usable, but {}{}", behind, predicted(*find_variant(name)));
  }

  std::string predicted(const KernelVariant& variant) const {
    return fmt::format(" (predicted {:.1f} us)", variant.seconds(problem_, options_.machine) * 1e6);
  }

  static std::string first_refusal(const PlanStep& step) {
    return step.refused.empty() ? std::string() : " (" + step.refused.front().variant + ": " + step.refused.front().why + ")";
  }

  // Weights that hardware-hints found resident do not come from memory, so they cannot be what a step waits for.
  bool waits_for_memory(const PlanStep& step, double seconds) const {
    if (step.attrs.text("hint", "stream") == "resident") return false;
    return step.cost.bytes / options_.machine.read_bytes_per_s * 1.2 >= seconds;
  }

  // "tuned: 41.2 us against 47.0 us of matmul.q8_0.avx2, 15 samples"
  std::string evidence(const PlanStep& step) const {
    const VariantTiming& taken = *choice_->find(step.variant->name);
    const VariantTiming* rival = nullptr;  // the best of them
    for (const VariantTiming& one : choice_->timed)
      if (&one != &taken && (!rival || one.median_us < rival->median_us)) rival = &one;
    std::string text = "tuned: " + describe(taken);
    if (rival) text += fmt::format(" against {} of {}", describe(*rival), rival->variant);
    return text + fmt::format(", {} samples", taken.samples);
  }

  void explain(PlanStep& step) const {
    step.cost = cost_of(*step.op, problem_);
    const double seconds = step.variant->seconds(problem_, options_.machine);
    step.predicted_us = seconds * 1e6;
    if (options_.numerics == Numerics::reference) {
      step.reason = "the reference evaluation, as --numerics reference asks";
      return;
    }
    const bool only_reference = step.variant == reference_variant(step.op->name);
    const std::string chosen =
        choice_ ? evidence(step)
                : fmt::format("{} {}", only_reference ? "the reference evaluation, for want of a kernel for" : "first usable variant of",
                              step.op->name);
    if (choice_) step.tuned_us = choice_->find(step.variant->name)->median_us;
    step.reason = fmt::format("{}: {:.1f} us predicted, {}-bound ({:.2f} MB, {:.2f} MFLOP)", chosen, step.predicted_us,
                              waits_for_memory(step, seconds) ? "memory" : "compute", step.cost.bytes / 1e6, step.cost.flops / 1e6);
    if (step.variant->how) step.reason += "; " + step.variant->how(problem_);
  }

  const Problem& problem_;
  Layout layout_;
  const PlanOptions& options_;
  std::vector<Considered> considered_;
  const TuneChoice* choice_ = nullptr;  // that the step follows
};

}  // namespace

void choose_variant(PlanStep& step, const Problem& problem, std::optional<std::string_view> layout, const PlanOptions& options) {
  Selection(problem, layout, options).choose(step);
}

std::vector<const KernelVariant*> usable_variants(const PlanStep& step, const Problem& problem, const PlanOptions& options) {
  std::vector<const KernelVariant*> usable;
  for (const KernelVariant* variant : cpu_variants())
    if (variant->op == step.op->name && refusal(*variant, problem, matrix_layout(step), options).empty()) usable.push_back(variant);
  return usable;
}

std::string problem_key_of(const PlanStep& step, const Problem& problem, const PlanOptions& options) {
  return problem_key(*step.op, problem, matrix_layout(step).value_or(""), scope_of(options));
}

}  // namespace hyalite
