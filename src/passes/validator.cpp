#include "passes/validator.h"

#include "ir/evaluation_case.h"

namespace hyalite {
namespace {

const Graph* graph_for(const Module& module, std::string_view mode) {
  const Graph* graph = module.find(mode);
  return graph ? graph : module.find("model");
}

}  // namespace

Validator reference_validator(const WeightStore& weights, ThreadPool* pool) {
  return [&weights, pool](const Module& module) {
    std::vector<float> logits;
    auto append = [&](const Graph& graph, const EvaluationCase& given) {
      std::vector<EvalTensor> outputs = evaluate(graph, weights, given.inputs(), pool);
      std::span<const float> values = outputs.at(0).floats();
      logits.insert(logits.end(), values.begin(), values.end());
    };
    if (const Graph* graph = graph_for(module, "prefill")) append(*graph, EvaluationCase::prefill(*graph));
    if (const Graph* graph = graph_for(module, "decode")) append(*graph, EvaluationCase::decode(*graph));
    return logits;
  };
}

}  // namespace hyalite
