#include <fmt/format.h>

#include <optional>
#include <unordered_map>

#include "base/error.h"
#include "plan/plan_check.h"
#include "plan/planner.h"

namespace hyalite {
namespace {

// Chooses one node's variant. Candidates come in the order of preference of variants.inc, the reference evaluation last.
class Selection {
 public:
  Selection(const OpSpec& op, const Problem& problem, std::string_view layout, bool has_matrix, const PlanOptions& options)
      : op_(op), problem_(problem), layout_(layout), has_matrix_(has_matrix), options_(options) {}

  void choose(PlanStep& step) const {
    const bool reference_only = options_.numerics == "reference";
    for (const KernelVariant* variant : cpu_variants()) {
      if (variant->op != op_.name) continue;
      std::string why = reference_only ? "--numerics reference runs the reference evaluation only" : refusal(*variant);
      if (why.empty() && step.variant) why = "usable, but listed after " + std::string(step.variant->name) + predicted(*variant);
      if (!why.empty()) {
        step.refused.push_back({std::string(variant->name), why});
        continue;
      }
      step.variant = variant;
    }
    if (!step.variant) step.variant = reference_variant(op_.name);
    if (!step.variant) throw Error(ErrorCode::unsupported, step.path, "no kernel for " + std::string(op_.name) + first_refusal(step));
    explain(step);
  }

 private:
  std::string refusal(const KernelVariant& variant) const {
    if (uint32_t missing = variant.needs & ~options_.machine.features)
      return "needs " + describe_features(missing) + ", which this machine does not give at --isa " + options_.isa;
    if (has_matrix_ && variant.layout != layout_)
      return fmt::format("wants weights in {}, these are in {}", shown(variant.layout), shown(layout_));
    return variant.refuses ? variant.refuses(problem_) : std::string();
  }

  static std::string_view shown(std::string_view layout) { return layout.empty() ? "rows" : layout; }

  std::string predicted(const KernelVariant& variant) const {
    return variant.seconds ? fmt::format(" (predicted {:.1f} us)", variant.seconds(problem_, options_.machine) * 1e6) : std::string();
  }

  static std::string first_refusal(const PlanStep& step) {
    return step.refused.empty() ? std::string() : " (" + step.refused.front().variant + ": " + step.refused.front().why + ")";
  }

  // Weights that hardware-hints found resident do not come from memory, so they cannot be what a step waits for.
  bool waits_for_memory(const PlanStep& step, double seconds) const {
    if (step.attrs.text("hint", "stream") == "resident") return false;
    return step.cost.bytes / options_.machine.read_bytes_per_s * 1.2 >= seconds;
  }

  void explain(PlanStep& step) const {
    step.cost = cost_of(op_, problem_);
    const double seconds = step.variant->seconds(problem_, options_.machine);
    step.predicted_us = seconds * 1e6;
    if (options_.numerics == "reference") {
      step.reason = "the reference evaluation, as --numerics reference asks";
      return;
    }
    const bool only_reference = step.variant == reference_variant(op_.name);
    step.reason = fmt::format("{} {}: {:.1f} us predicted, {}-bound ({:.2f} MB, {:.2f} MFLOP)",
                              only_reference ? "the reference evaluation, for want of a kernel for" : "first usable variant of", op_.name,
                              step.predicted_us, waits_for_memory(step, seconds) ? "memory" : "compute", step.cost.bytes / 1e6,
                              step.cost.flops / 1e6);
  }

  const OpSpec& op_;
  const Problem& problem_;
  std::string_view layout_;
  bool has_matrix_;
  const PlanOptions& options_;
};

// Walks the graph once, turning weight, constant and convert nodes into plan weights and every other node into a step.
class Builder {
 public:
  Builder(const Graph& graph, const std::vector<CacheSpec>& caches, const PlanOptions& options) : graph_(graph), options_(options) {
    plan_.mode = graph.name();
    plan_.max_symbols = options.max_symbols;
    plan_.max_positions = options.max_positions;
    plan_.isa = options.isa;
    plan_.numerics = options.numerics;
    plan_.caches = caches;
  }

  ExecutionPlan build() {
    check_inputs();
    for (NodeId id : graph_.order()) {
      const Node& node = graph_.node(id);
      if (node.op->name == "grouped_query_attention")
        throw Error(ErrorCode::invalid_model, node.from.path, "is not lowered: it was not specialised to prefill or decode");
      if (node.op->name == "weight" || node.op->name == "constant" || node.op->name == "convert")
        add_weight(node);
      else
        add_step(node);
    }
    if (graph_.outputs().empty()) throw Error(ErrorCode::invalid_model, "graph @" + graph_.name(), "has no output");
    plan_.logits = operand(graph_.outputs()[0]);
    if (plan_.logits.kind != PlanOperand::Kind::arena || plan_.logits.type.tensor.rank() != 2)
      throw Error(ErrorCode::invalid_model, "graph @" + graph_.name(), "its first output must be the logits, a computed tensor of rank 2");
    plan_.vocab = plan_.logits.type.tensor.dims[1].value();
    return std::move(plan_);
  }

 private:
  // What a step brings: token ids, the batch, the cache.
  void check_inputs() const {
    for (ValueId id : graph_.inputs()) {
      const Value& input = graph_.value(id);
      if (input.type.kind == ValueType::Kind::tensor && input.type != ValueType::of({DType::i32, {Dim::tokens()}}))
        throw Error(ErrorCode::invalid_model, "graph @" + graph_.name() + ", input %" + input.name,
                    "is " + to_string(input.type.tensor) + "; the only tensor that a step brings is its ids, tensor<T x i32>");
    }
  }

  struct WeightUse {
    int32_t index;
    std::string layout;  // kind of packed layout, from the attribute; empty: rows
  };

  void add_weight(const Node& node) {
    const Value& value = graph_.value(node.results[0]);
    PlanWeight weight{.name = node.op->name == "weight" ? node.attrs.text("name") : "constant:" + graph_.name() + "." + value.name,
                      .type = value.type.tensor};
    std::string layout = node.attrs.text("layout", "rows");
    if (layout == "rows") layout.clear();
    if (node.op->name == "constant") weight.values = node.attrs.reals("values");
    if (node.op->name == "convert") {
      const WeightUse& source = weights_.at(node.operands[0]);
      const PlanWeight& from = plan_.weights[source.index];
      weight.name = from.name;
      weight.converted_from = std::string(format_of(from.type.dtype).name);
      if (layout.empty()) layout = source.layout;
    }
    weights_[node.results[0]] = {static_cast<int32_t>(plan_.weights.size()), layout};
    plan_.weights.push_back(std::move(weight));
  }

  PlanOperand operand(ValueId id) const {
    using Kind = PlanOperand::Kind;
    if (id == kNone) return {};
    const Value& value = graph_.value(id);
    PlanOperand place{.name = value.name, .type = value.type};
    auto weight = weights_.find(id);
    if (value.type.kind == ValueType::Kind::batch)
      place.kind = Kind::batch;
    else if (value.type.kind == ValueType::Kind::cache)
      place.kind = Kind::cache;
    else if (weight != weights_.end()) {
      place.kind = Kind::weight;
      place.index = weight->second.index;
    } else
      place.kind = value.producer == kNone ? Kind::ids : Kind::arena;
    return place;
  }

  // Has the step weight matrices, and in which layout? All share one answer, which layout conversion sees to.
  std::pair<bool, std::string_view> matrices(const Node& node) const {
    bool any = false;
    std::string_view layout;
    for (ValueId id : node.operands) {
      auto weight = weights_.find(id);
      if (weight == weights_.end() || plan_.weights[weight->second.index].type.rank() != 2) continue;
      any = true;
      if (layout.empty()) layout = weight->second.layout;
    }
    return {any, layout};
  }

  void add_step(const Node& node) {
    PlanStep step{.path = node.from.path, .op = node.op, .attrs = node.attrs};
    std::vector<ValueType> operands, results;
    for (ValueId id : node.operands) {
      step.inputs.push_back(operand(id));
      operands.push_back(step.inputs.back().type);
    }
    for (ValueId id : node.results) {
      step.outputs.push_back(operand(id));
      results.push_back(step.outputs.back().type);
    }
    Problem problem{.operands = operands,
                    .results = results,
                    .attrs = &node.attrs,
                    .symbols = options_.max_symbols,
                    .cached = plan_.mode == "decode" ? options_.max_positions / 2 : 0,
                    .max_positions = options_.max_positions};
    if (node.attrs.has("layer")) {
      step.layer = static_cast<int32_t>(node.attrs.integer("layer"));
      if (step.layer < 0 || step.layer >= static_cast<int32_t>(plan_.caches.size()))
        throw Error(ErrorCode::invalid_model, step.path, "layer " + std::to_string(step.layer) + " has no cache");
      problem.cache = &plan_.caches[step.layer];
      check_cache(*node.op, node.attrs, step.path, *problem.cache);
    }
    auto [any, layout] = matrices(node);
    Selection(*node.op, problem, layout, any, options_).choose(step);
    if (step.variant->workspace) step.workspace_bytes = static_cast<int64_t>(step.variant->workspace(problem));
    note_weight_forms(step);
    plan_.steps.push_back(std::move(step));
  }

  void note_weight_forms(PlanStep& step) {
    for (PlanOperand& input : step.inputs) {
      if (input.kind != PlanOperand::Kind::weight) continue;
      PlanWeight& weight = plan_.weights[input.index];
      const bool packed = weight.type.rank() == 2 && packed_layout_of(weight.type.dtype, step.variant->layout);
      input.kind = packed ? PlanOperand::Kind::packed : PlanOperand::Kind::weight;
      if (packed)
        weight.packed = step.variant->layout;
      else
        weight.as_is = true;
    }
  }

  const Graph& graph_;
  const PlanOptions& options_;
  ExecutionPlan plan_;
  std::unordered_map<ValueId, WeightUse> weights_;
};

}  // namespace

ExecutionPlan select_kernels(const Graph& graph, const std::vector<CacheSpec>& caches, const PlanOptions& options) {
  return Builder(graph, caches, options).build();
}

}  // namespace hyalite
