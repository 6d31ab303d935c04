#include <optional>
#include <unordered_map>

#include "base/error.h"
#include "plan/plan_check.h"
#include "plan/planner.h"
#include "plan/variant_selection.h"

namespace hyalite {
namespace {

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
    const TensorType& logits = plan_.logits.type.tensor;
    if (plan_.logits.kind != PlanOperand::Kind::arena || logits.rank() != 2 || logits.dims[0] != Dim::logits_rows())
      throw Error(ErrorCode::invalid_model, "graph @" + graph_.name(),
                  "its first output must be the logits, a computed tensor of L rows, is " + to_string(logits));
    plan_.vocab = logits.dims[1].value();
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
      const auto found = weights_.find(node.operands[0]);
      if (found == weights_.end()) throw Error(ErrorCode::invalid_model, node.from.path, "converts what is no weight");
      const WeightUse source = found->second;
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

  // The layout of the step's weight matrices, where it has any. All share one, which layout conversion sees to.
  std::optional<std::string_view> matrix_layout(const Node& node) const {
    std::optional<std::string_view> layout;
    for (ValueId id : node.operands) {
      auto weight = weights_.find(id);
      if (weight == weights_.end() || plan_.weights[weight->second.index].type.rank() != 2) continue;
      if (!layout || layout->empty()) layout = weight->second.layout;
    }
    return layout;
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
      problem.cache = &cache_of(*node.op, node.attrs, step.path, plan_.caches);
      step.layer = static_cast<int32_t>(node.attrs.integer("layer"));
    }
    choose_variant(step, problem, matrix_layout(node), options_);
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
