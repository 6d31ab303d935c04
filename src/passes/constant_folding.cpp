// Folds what no step can change: nodes whose operands are all constants (or small weights) into constants, and neutral operations away.
// The folded values are those of the op's reference evaluation, so folding changes no bit of the result.
#include <cmath>
#include <optional>

#include "passes/pass.h"

namespace hyalite {
namespace {

constexpr int64_t kMaxElements = 4096;  // a constant is printed in full

// The values of an operand: a constant's list, or a weight's bytes.
struct Folded {
  std::vector<float> values;
  TensorView view;
};

bool is_fixed(const Rewriter& rw, ValueId value) {
  return value == kNone || rw.producer(value, "constant") != kNone || rw.producer(value, "weight") != kNone;
}

// REQUIRES: is_fixed(value). Nothing where the weight's bytes are not at hand, or are not what the graph says.
std::optional<Folded> read(const Rewriter& rw, ValueId value, const PassContext& context) {
  Folded folded;
  if (value == kNone) return folded;
  const Graph& graph = rw.graph();
  const Node& node = graph.node(graph.value(value).producer);
  if (node.op->name == "weight") {
    const std::string& name = node.attrs.text("name");
    const WeightStore::Entry* entry = context.weights ? context.weights->find(name) : nullptr;
    if (!entry || ValueType::of(entry->type) != graph.value(value).type) return std::nullopt;
    folded.view = context.weights->view(name);
    return folded;
  }
  for (double number : node.attrs.reals("values")) folded.values.push_back(static_cast<float>(number));
  folded.view = view_of({DType::f32, {Dim(static_cast<int64_t>(folded.values.size()))}}, folded.values.data());
  return folded;
}

std::vector<double> evaluate(const Node& node, const std::vector<TensorView>& inputs, const TensorType& type) {
  std::vector<float> out(type.dims[0].value());
  TensorView output = view_of(type, out.data());
  alignas(16) uint8_t params[kMaxParamBytes] = {};
  if (node.op->bind) node.op->bind(node.attrs, params);
  node.op->evaluate({.inputs = inputs.data(), .outputs = &output, .params = params}, {});
  return {out.begin(), out.end()};
}

void fold(Rewriter& rw, NodeId id, const PassContext& context) {
  const Graph& graph = rw.graph();
  const Node& node = graph.node(id);
  const ValueType& type = graph.value(node.results[0]).type;
  if (type.kind != ValueType::Kind::tensor || type.tensor.rank() != 1 || type.tensor.dims[0].is_symbol()) return;
  if (type.tensor.dtype != DType::f32 || type.tensor.dims[0].value() > kMaxElements) return;
  std::vector<Folded> operands;
  std::vector<TensorView> inputs;
  for (ValueId value : node.operands) {
    std::optional<Folded> folded = read(rw, value, context);
    if (!folded) return rw.refused(id, "the bytes of %" + graph.value(value).name + " are not at hand");
    operands.push_back(std::move(*folded));
    inputs.push_back(operands.back().view);
  }
  std::vector<double> values = evaluate(node, inputs, type.tensor);
  if (!std::ranges::all_of(values, [](double value) { return std::isfinite(value); })) return rw.refused(id, "the result is not finite");
  rw.matched(id, "folded " + std::string(node.op->name) + " into " + std::to_string(values.size()) + " constants");
  rw.replace({id}, *find_op("constant"), {}, {{"values", std::move(values)}}, {node.results[0]}, node.from.path);
}

void run(Rewriter& rw, const PassContext& context) {
  for (NodeId id : std::vector(rw.graph().order())) {
    const Node& node = rw.graph().node(id);
    if (node.op->name == "scale" && node.attrs.real("factor") == 1) {
      rw.matched(id, "scaling by 1 changes nothing");
      rw.replace_uses(node.results[0], node.operands[0]);
      rw.erase(id);
    } else if (node.op->foldable && node.results.size() == 1 &&
               std::ranges::all_of(node.operands, [&](ValueId value) { return is_fixed(rw, value); })) {
      fold(rw, id, context);
    }
  }
}

}  // namespace

extern const Pass pass_constant_folding;
const Pass pass_constant_folding{"constant-folding", "Computes now what every step would compute alike.", run};

}  // namespace hyalite
