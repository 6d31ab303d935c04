// Runs a whole graph with the reference evaluation of its ops: the oracle of passes, plans and kernels. Works at every stage, logical or
// lowered, with or without inferred types.
//
//   Evaluator evaluator(graph, weights);
//   std::vector<EvalTensor> outputs = evaluator.run({.ids = ids, .batch = &batch, .caches = caches});
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/thread_pool.h"
#include "ir/graph.h"
#include "tensor/weight_store.h"

namespace hyalite {

// A tensor that owns its bytes; `type` keeps its symbols, `view()` has them bound.
struct EvalTensor {
  ValueType type;
  std::vector<uint8_t> bytes;
  TensorView view;  // of `bytes`; no data where the value is a batch or a cache

  std::span<const float> floats() const { return {static_cast<const float*>(view.data), static_cast<size_t>(view.elements())}; }
};

// What one step works on. Memory stays the caller's and must outlive run().
struct EvalInputs {
  std::span<const int32_t> ids;               // the graph's i32 tensor input
  const BatchView* batch = nullptr;           // required where the graph has a batch
  std::span<const CacheView> caches;          // by layer: attribute `layer` indexes it
  std::map<std::string, TensorView> tensors;  // other tensor inputs, by name
};

// What an observer sees after each node, in execution order: the node and the views of its results. On the caller's thread.
using EvalObserver = std::function<void(NodeId node, std::span<const TensorView> results)>;

// Bound to one graph and its weights, which must outlive it. What depends on weights and constants alone (convert, rope_frequencies) is
// computed once and kept; everything else is freed after its last use. One thread at a time; with a pool, ops share their work among its
// threads, and run() ends early where the pool is cancelled.
class Evaluator {
 public:
  Evaluator(const Graph& graph, const WeightStore& weights, ThreadPool* pool = nullptr);

  // The graph's outputs in order. Throws Error{invalid_model} where a weight is missing or of another type than the graph says, or a type
  // does not fit; Error{invalid_argument} where an input is missing, or an id is outside the vocabulary.
  std::vector<EvalTensor> run(const EvalInputs& inputs, const EvalObserver& observer = {});

 private:
  struct Step;  // one run() in progress

  void infer_types();
  void find_last_uses();
  void run_node(NodeId id, Step& step);
  void run_weight(const Node& node, Step& step);
  int parts_of(const Node& node, const Symbols& symbols, const CacheView* cache) const;
  void run_op(const Node& node, Step& step, std::vector<EvalTensor>& results);

  const Graph& graph_;
  const WeightStore& weights_;
  ThreadPool* pool_;
  std::vector<ValueType> types_;        // by value; inferred where the graph leaves them open
  std::vector<bool> constant_;          // by value: depends on weights and constants only
  std::vector<int32_t> last_use_;       // by value: index in order() of its last user; past the end for outputs
  std::map<ValueId, EvalTensor> kept_;  // constant values, once computed
};

// One-shot form.
std::vector<EvalTensor> evaluate(const Graph& graph, const WeightStore& weights, const EvalInputs& inputs, ThreadPool* pool = nullptr,
                                 const EvalObserver& observer = {});

}  // namespace hyalite
