#include "ops/op_table.h"
#include "ops/paged_cache.h"
#include "ops/type_rules.h"

namespace hyalite {
namespace {

constexpr OperandSpec kOperands[] = {{"kv", kCache}, {"k", kTensor}, {"v", kTensor}, {"batch", kBatch}};
constexpr OperandSpec kResults[] = {{"kv", kCache}};
constexpr AttrSpec kAttrs[] = {{"layer", "int", true}, {"kv_heads", "int", true}, {"head_dim", "int", true}};

std::vector<ValueType> infer(const Problem& problem) {
  check_layer(problem);
  const int64_t columns = positive_attr(problem, "kv_heads") * positive_attr(problem, "head_dim");
  const TensorType &k = token_rows_of(problem, 1, "k"), &v = token_rows_of(problem, 2, "v");
  expect(columns_of(k) == columns, "k", "must have kv_heads * head_dim = " + std::to_string(columns) + " columns, is " + to_string(k));
  expect(v == k, "v", "must be like k, is " + to_string(v));
  return {ValueType::cache()};
}

// Reads k and v, writes as many elements in the cache's format.
Cost cost(const Problem& problem) {
  const double bytes = static_cast<double>(bytes_of(problem.operands[1].tensor, problem.symbols));
  return {0, 2 * bytes + appended_bytes(problem)};
}

void evaluate(const OpArgs& args, WorkRange range) {
  const int32_t heads = args.cache->spec.kv_heads;
  for (int64_t h = range.begin(heads); h < range.end(heads); ++h)
    append_head(*args.batch, *args.cache, args.inputs[1].as<float>(), args.inputs[2].as<float>(), static_cast<int32_t>(h));
}

}  // namespace

constinit const OpSpec op_cache_append{
    .name = "cache_append",
    .summary = "Writes k and v of each token into the cache of `layer` at the token's position.",
    .operands = kOperands,
    .results = kResults,
    .attrs = kAttrs,
    .infer = infer,
    .cost = cost,
    .evaluate = evaluate,
};

}  // namespace hyalite
