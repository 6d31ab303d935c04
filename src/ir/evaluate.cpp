#include "ir/evaluate.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "ir/inference.h"
#include "ir/printer.h"
#include "ops/reference.h"

namespace hyalite {
namespace {

constexpr auto kTensorKind = ValueType::Kind::tensor;

// Never empty, so that a tensor of no elements differs from an absent one.
EvalTensor allocate(const ValueType& type, const Symbols& symbols) {
  EvalTensor tensor{type, {}, {}};
  if (type.kind != kTensorKind) return tensor;
  tensor.bytes.resize(std::max<int64_t>(bytes_of(type.tensor, symbols), 1));
  tensor.view = view_of(type.tensor, tensor.bytes.data(), symbols);
  return tensor;
}

EvalTensor copy_of(const ValueType& type, const TensorView& view) {
  EvalTensor tensor{type, {}, view};
  if (!view.data) return tensor;
  const auto* data = static_cast<const uint8_t*>(view.data);
  tensor.bytes.assign(data, data + view.bytes());
  tensor.view.data = tensor.bytes.data();
  return tensor;
}

bool same_shape(const TensorView& a, const TensorView& b) {
  return a.dtype == b.dtype && a.rank == b.rank && std::equal(a.dims.begin(), a.dims.begin() + a.rank, b.dims.begin());
}

}  // namespace

struct Evaluator::Step {
  const EvalInputs& inputs;
  Symbols symbols;
  std::vector<TensorView> views;        // by value
  std::map<ValueId, EvalTensor> owned;  // intermediates that are still needed

  Step(const Graph& graph, const EvalInputs& in) : inputs(in), views(graph.value_count()) {
    const auto tokens = static_cast<int64_t>(in.ids.size());
    symbols = in.batch ? Symbols{in.batch->tokens, in.batch->sequences, in.batch->logits_rows} : Symbols{tokens, 1, tokens};
    for (ValueId id : graph.inputs()) views[id] = input(graph.value(id));
  }

  TensorView input(const Value& value) const {
    const std::string where = "input %" + value.name;
    if (value.type.kind == ValueType::Kind::batch && !inputs.batch) throw Error(ErrorCode::invalid_argument, where, "no batch is given");
    if (value.type.kind != kTensorKind) return {};
    TensorView wanted = view_of(value.type.tensor, nullptr, symbols);
    if (auto it = inputs.tensors.find(value.name); it != inputs.tensors.end()) {
      if (!same_shape(it->second, wanted)) throw Error(ErrorCode::invalid_argument, where, "must be " + print(value.type));
      return it->second;
    }
    bool ids = wanted.dtype == DType::i32 && wanted.rank == 1 && wanted.dims[0] == static_cast<int64_t>(inputs.ids.size());
    if (!ids) throw Error(ErrorCode::invalid_argument, where, "is not given; it is " + print(value.type));
    wanted.data = const_cast<int32_t*>(inputs.ids.data());
    return wanted;
  }
};

Evaluator::Evaluator(const Graph& graph, const WeightStore& weights, ThreadPool* pool)
    : graph_(graph), weights_(weights), pool_(pool), types_(graph.value_count()), constant_(graph.value_count()) {
  infer_types();
  find_last_uses();
}

void Evaluator::infer_types() {
  for (ValueId id : graph_.inputs()) types_[id] = graph_.value(id).type;
  for (NodeId id : graph_.order()) {
    const Node& node = graph_.node(id);
    const auto inferred = inferred_types(graph_, id, types_);
    const bool constant = std::ranges::all_of(node.operands, [&](ValueId value) { return value == kNone || constant_[value]; });
    for (size_t i = 0; i < node.results.size(); ++i) {
      const ValueType& written = graph_.value(node.results[i]).type;
      types_[node.results[i]] = inferred ? (*inferred)[i] : written;
      if (types_[node.results[i]] == ValueType::unknown()) throw Error(ErrorCode::invalid_model, place_of(graph_, id), "has no known type");
      if (inferred && written != ValueType::unknown() && written != (*inferred)[i])
        throw Error(ErrorCode::invalid_model, place_of(graph_, id), "is " + print(written) + ", but the op makes " + print((*inferred)[i]));
      constant_[node.results[i]] = constant;
    }
  }
}

void Evaluator::find_last_uses() {
  last_use_.assign(graph_.value_count(), -1);
  for (int32_t i = 0; i < graph_.node_count(); ++i)
    for (ValueId value : graph_.node(graph_.order()[i]).operands)
      if (value != kNone) last_use_[value] = i;
  for (ValueId value : graph_.outputs()) last_use_[value] = graph_.node_count();
}

std::vector<EvalTensor> Evaluator::run(const EvalInputs& inputs, const EvalObserver& observer) {
  Step step(graph_, inputs);
  for (int32_t i = 0; i < graph_.node_count(); ++i) {
    const NodeId id = graph_.order()[i];
    const Node& node = graph_.node(id);
    run_node(id, step);
    if (observer) {
      std::vector<TensorView> results;
      for (ValueId value : node.results) results.push_back(step.views[value]);
      observer(id, results);
    }
    for (const auto* values : {&node.operands, &node.results})
      for (ValueId value : *values)
        if (value != kNone && last_use_[value] <= i) step.owned.erase(value);
  }
  std::vector<EvalTensor> outputs;
  for (ValueId value : graph_.outputs()) outputs.push_back(copy_of(types_[value], step.views[value]));
  return outputs;
}

void Evaluator::run_node(NodeId id, Step& step) {
  const Node& node = graph_.node(id);
  if (node.op->name == "weight") return run_weight(node, step);
  const bool constant = constant_[node.results[0]];
  auto& home = constant ? kept_ : step.owned;
  if (!home.contains(node.results[0])) {
    std::vector<EvalTensor> results;
    for (ValueId value : node.results) results.push_back(allocate(types_[value], step.symbols));
    try {
      run_op(node, step, results);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::cancelled) throw;
      throw Error(error.code(), place_of(graph_, id) + ": " + error.where(), error.message());
    }
    for (size_t i = 0; i < results.size(); ++i) home.insert_or_assign(node.results[i], std::move(results[i]));
  }
  for (ValueId value : node.results) step.views[value] = home.at(value).view;
}

void Evaluator::run_weight(const Node& node, Step& step) {
  const std::string& name = node.attrs.text("name");
  const ValueId result = node.results[0];
  const WeightStore::Entry& entry = weights_.at(name);
  if (ValueType::of(entry.type) != types_[result])
    throw Error(ErrorCode::invalid_model, "weight " + name,
                "is " + to_string(entry.type) + ", but the graph says " + print(types_[result]));
  step.views[result] = weights_.view(name);
}

int Evaluator::parts_of(const Node& node, const Symbols& symbols, const CacheView* cache) const {
  auto types = [this](const std::vector<ValueId>& values) {
    std::vector<ValueType> list;
    for (ValueId value : values) list.push_back(value == kNone ? ValueType::unknown() : types_[value]);
    return list;
  };
  const std::vector<ValueType> operands = types(node.operands), results = types(node.results);
  const Problem problem{
      .operands = operands, .results = results, .attrs = &node.attrs, .symbols = symbols, .cache = cache ? &cache->spec : nullptr};
  return reference_parts(cost_of(*node.op, problem));
}

void Evaluator::run_op(const Node& node, Step& step, std::vector<EvalTensor>& results) {
  if (!node.op->evaluate) {  // constant
    std::ranges::transform(node.attrs.reals("values"), results[0].view.as<float>(), [](double value) { return static_cast<float>(value); });
    return;
  }
  std::vector<TensorView> inputs, outputs;
  for (ValueId value : node.operands) inputs.push_back(value == kNone ? TensorView{} : step.views[value]);
  for (EvalTensor& result : results) outputs.push_back(result.view);
  alignas(std::max_align_t) std::byte params[kMaxParamBytes];
  if (node.op->bind) node.op->bind(node.attrs, params);
  OpArgs args{.inputs = inputs.data(), .outputs = outputs.data(), .params = params, .batch = step.inputs.batch};
  if (std::ranges::count(node.op->operands, ValueType::Kind::cache, &OperandSpec::kind)) {
    const int64_t layer = node.attrs.integer("layer");
    if (layer < 0 || layer >= static_cast<int64_t>(step.inputs.caches.size()))
      throw Error(ErrorCode::invalid_argument, "layer " + std::to_string(layer), "has no cache");
    args.cache = &step.inputs.caches[layer];
    const CacheSpec& spec = args.cache->spec;
    if (spec.kv_heads != node.attrs.integer("kv_heads") || spec.head_dim != node.attrs.integer("head_dim"))
      throw Error(ErrorCode::invalid_argument, "layer " + std::to_string(layer), "its cache has other heads than the graph");
  }
  if (!pool_) return node.op->evaluate(args, {});
  const int parts = parts_of(node, step.symbols, args.cache);
  for (int part = 0; part < parts; ++part)
    pool_->run([&](int thread) { node.op->evaluate(args, {part * pool_->size() + thread, parts * pool_->size()}); });
}

std::vector<EvalTensor> evaluate(const Graph& graph, const WeightStore& weights, const EvalInputs& inputs, ThreadPool* pool,
                                 const EvalObserver& observer) {
  return Evaluator(graph, weights, pool).run(inputs, observer);
}

}  // namespace hyalite
