#include "ir/evaluation_case.h"

#include <algorithm>
#include <numeric>

#include "base/split_mix.h"
#include "ops/paged_cache.h"

namespace hyalite {
namespace {

float between_ones(SplitMix64& random) {
  return static_cast<float>(static_cast<int64_t>(random.next() >> 40) - (1 << 23)) * 0x1p-23f;
}

// Rows of the table that ids look up; 1 where the graph embeds nothing of known size.
int64_t vocabulary(const Graph& graph) {
  for (NodeId id : graph.order()) {
    if (graph.node(id).op->name != "embed") continue;
    const ValueType& table = graph.value(graph.node(id).operands[1]).type;
    if (table.kind == ValueType::Kind::tensor && table.tensor.rank() == 2) return table.tensor.dims[0].value();
  }
  return 1;
}

// One spec for each layer that a state op of the graph names.
std::vector<CacheSpec> cache_specs(const Graph& graph, DType dtype) {
  std::vector<CacheSpec> specs;
  for (NodeId id : graph.order()) {
    const Attrs& attrs = graph.node(id).attrs;
    if (!attrs.has("layer")) continue;
    const auto layer = static_cast<size_t>(attrs.integer("layer"));
    if (specs.size() <= layer) specs.resize(layer + 1);
    specs[layer].kv_heads = static_cast<int32_t>(attrs.integer("kv_heads"));
    specs[layer].head_dim = static_cast<int32_t>(attrs.integer("head_dim"));
    specs[layer].dtype = dtype;
    if (attrs.integer("window", 0) > 0) {
      specs[layer].kind = CacheSpec::Kind::sliding_window;
      specs[layer].window = static_cast<int32_t>(attrs.integer("window"));
    }
  }
  return specs;
}

}  // namespace

EvaluationCase EvaluationCase::prefill(const Graph& graph, uint64_t seed, DType cache_dtype) {
  return EvaluationCase(graph, {5, 3}, {0, 0}, seed, cache_dtype);
}

EvaluationCase EvaluationCase::decode(const Graph& graph, uint64_t seed, DType cache_dtype) {
  return EvaluationCase(graph, {1, 1}, {10, 10}, seed, cache_dtype);
}

EvaluationCase::EvaluationCase(const Graph& graph, const std::vector<int>& tokens, const std::vector<int>& cached, uint64_t seed,
                               DType cache_dtype) {
  make_batch(tokens, cached);
  make_caches(graph, cached, seed, cache_dtype);
  SplitMix64 random(seed);
  const auto rows = static_cast<uint64_t>(vocabulary(graph));
  for (size_t t = 0; t < positions_.size(); ++t) ids_.push_back(static_cast<int32_t>(random.next() % rows));
}

// All layers share one cache group with full page tables: a window needs no ring to be right.
void EvaluationCase::make_batch(const std::vector<int>& tokens, const std::vector<int>& cached) {
  std::vector<int32_t> counts;
  for (size_t s = 0; s < tokens.size(); ++s) {
    for (int t = 0; t < tokens[s]; ++t) {
      positions_.push_back(cached[s] + t);
      sequence_of_.push_back(static_cast<int32_t>(s));
    }
    if (tokens[s] > 0) logits_rows_.push_back(static_cast<int32_t>(positions_.size()) - 1);
    counts.push_back((cached[s] + tokens[s] + kPageTokens - 1) / kPageTokens);
  }
  pages_.resize(std::reduce(counts.begin(), counts.end()));
  // Numbered backwards, so that code which takes a page's number for its place is found out.
  std::iota(pages_.rbegin(), pages_.rend(), 0);
  const int32_t* next = pages_.data();
  for (int32_t count : counts) {
    tables_.push_back({next, count});
    next += count;
  }
  batch_ = {.tokens = static_cast<int32_t>(positions_.size()),
            .sequences = static_cast<int32_t>(tokens.size()),
            .logits_rows = static_cast<int32_t>(logits_rows_.size()),
            .cache_groups = 1,
            .positions = positions_.data(),
            .sequence_of = sequence_of_.data(),
            .logits_row = logits_rows_.data(),
            .tables = tables_.data()};
}

void EvaluationCase::make_caches(const Graph& graph, const std::vector<int>& cached, uint64_t seed, DType dtype) {
  for (const CacheSpec& spec : cache_specs(graph, dtype)) {
    const int64_t columns = int64_t{spec.kv_heads} * spec.head_dim;
    const int64_t page_bytes = page_bytes_of(spec);
    pools_.emplace_back(page_bytes * static_cast<int64_t>(pages_.size()));
    caches_.push_back({.data = pools_.back().data(), .page_bytes = page_bytes, .group = 0, .spec = spec});
    // Earlier positions are appended the way a step would: one batch of the tokens before this one.
    std::vector<int32_t> positions, sequence_of;
    for (size_t s = 0; s < cached.size(); ++s)
      for (int p = 0; p < cached[s]; ++p) positions.push_back(p), sequence_of.push_back(static_cast<int32_t>(s));
    BatchView past = batch_;
    past.tokens = static_cast<int32_t>(positions.size());
    past.positions = positions.data();
    past.sequence_of = sequence_of.data();
    SplitMix64 random(seed * 1000003 + caches_.size());
    std::vector<float> k(positions.size() * columns), v(k.size());
    for (auto* values : {&k, &v}) std::ranges::generate(*values, [&] { return between_ones(random); });
    for (int32_t head = 0; head < spec.kv_heads; ++head) append_head(past, caches_.back(), k.data(), v.data(), head);
  }
}

EvalInputs EvaluationCase::inputs() const {
  return {.ids = ids_, .batch = &batch_, .caches = caches_, .tensors = {}};
}

}  // namespace hyalite
