// Decides how each weight is multiplied. Kernels multiply some formats as they lie in the file; the others are converted once, when the
// plan packs them. Where a matrix of a linear op is quantised, the activations it meets may be rounded to int8 in blocks of 32
// (`activations = "q8"`; for the head "q8x2", which keeps about 16 bits at the price of a second row); the op's dense matrices still meet
// them as they are. With numerics = fast, activations of an op whose matrices are all bf16 may be rounded to bf16. Vectors (norm weights,
// biases) are read as f32. With numerics = reference nothing is rounded: converted weights become f32.
#include <map>

#include "passes/pass.h"
#include "passes/patterns.h"

namespace hyalite {
namespace {

constexpr int64_t kBlock = 32;  // of q8_0 and of q8 activations

DType dtype_of(const Graph& graph, ValueId value) {
  return graph.value(value).type.tensor.dtype;
}
std::string name_of(DType dtype) {
  return std::string(format_of(dtype).name);
}

// The format a matrix is multiplied in.
DType multiplied_as(const TensorType& type, const Target& target) {
  if (std::ranges::count(target.multiplied, type.dtype)) return type.dtype;
  if (type.dtype == DType::f8_e4m3 || type.dtype == DType::f8_e5m2) return DType::bf16;  // holds both exactly
  bool whole_blocks = type.dims.back().value() % kBlock == 0;
  return format_of(type.dtype).is_quantized && whole_blocks && target.numerics != Numerics::reference ? DType::q8_0 : DType::f32;
}

class Lowering {
 public:
  Lowering(Rewriter& rw, const Target& target) : rw_(rw), graph_(rw.graph()), target_(target) {}

  void vectors(NodeId id) {
    const Node& node = graph_.node(id);
    for (size_t i = 0; i < node.operands.size(); ++i) {
      ValueId value = graph_.node(id).operands[i];
      if (weight_behind(graph_, value) == kNone || rank_of(graph_, value) != 1 || dtype_of(graph_, value) == DType::f32) continue;
      rw_.set_operand(id, static_cast<int>(i), converted(value, DType::f32, "vectors are read as f32"));
    }
  }

  void matrices(NodeId id) {
    std::vector<int> weights = weight_operands(graph_, id);
    bool quantised = false, bf16 = !weights.empty();
    for (int i : weights) {
      ValueId value = graph_.node(id).operands[i];
      DType to = multiplied_as(graph_.value(value).type.tensor, target_);
      if (to != dtype_of(graph_, value)) rw_.set_operand(id, i, converted(value, to, "no kernel multiplies the format itself"));
      quantised = quantised || format_of(to).is_quantized;
      bf16 = bf16 && to == DType::bf16;
    }
    round_activations(id, quantised, bf16 && target_.numerics == Numerics::fast);
  }

 private:
  void round_activations(NodeId id, bool quantised, bool to_bf16) {
    if (graph_.node(id).attrs.has("activations")) return;
    if (to_bf16) {
      rw_.matched(id, "activations may be rounded to bf16 for its bf16 weights: numerics are fast");
      return rw_.set_attr(id, "activations", std::string("bf16"));
    }
    if (!quantised) return rw_.refused(id, "activations stay f32: none of its weights is quantised");
    if (target_.numerics == Numerics::reference) return rw_.refused(id, "activations stay f32: numerics are reference");
    if (makes_logits(rw_, id)) {
      rw_.matched(id, "activations are rounded to q8 twice: nothing after the logits evens an error out");
      return rw_.set_attr(id, "activations", std::string("q8x2"));
    }
    rw_.matched(id, "activations may be rounded to q8 for its quantised weights");
    rw_.set_attr(id, "activations", std::string("q8"));
  }

  // `value` in another format; one convert node for all who ask for the same.
  ValueId converted(ValueId value, DType to, const char* why) {
    auto [entry, fresh] = made_.try_emplace({value, to}, kNone);
    if (!fresh) return entry->second;
    NodeId weight = graph_.value(value).producer;
    std::string format = name_of(dtype_of(graph_, value)), path = graph_.node(weight).from.path;
    rw_.matched(weight, format + " becomes " + name_of(to) + ": " + why);
    NodeId after = graph_.order()[std::ranges::find(graph_.order(), weight) - graph_.order().begin() + 1];
    NodeId convert = rw_.insert_before(after, *find_op("convert"), {value}, {{"to", name_of(to)}},
                                       {graph_.value(value).name + "." + name_of(to)}, path + "." + name_of(to), {weight});
    return entry->second = graph_.result(convert);
  }

  Rewriter& rw_;
  const Graph& graph_;
  const Target& target_;
  std::map<std::pair<ValueId, DType>, ValueId> made_;
};

void run(Rewriter& rw, const PassContext& context) {
  Lowering lowering(rw, context.target);
  for (NodeId id : std::vector(rw.graph().order())) {
    const OpSpec& op = *rw.graph().node(id).op;
    if (op.name == "convert") continue;
    lowering.vectors(id);
    if (is_linear(op)) lowering.matrices(id);
  }
}

}  // namespace

extern const Pass pass_quantised_lowering;
const Pass pass_quantised_lowering{"quantised-lowering",
                                   "Chooses the format each weight is multiplied in and where activations are rounded.", run};

}  // namespace hyalite
