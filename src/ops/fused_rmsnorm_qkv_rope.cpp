// fused_rmsnorm_qkv_rope, and the same with its k and v appended to the cache.
#include "ops/op_table.h"
#include "ops/paged_cache.h"
#include "ops/reference.h"
#include "ops/rope_attrs.h"
#include "ops/type_rules.h"

namespace hyalite {
namespace {

// kKv: of the op that appends only.
enum Operand { kX, kNorm, kWq, kWk, kWv, kBq, kBk, kBv, kQNorm, kKNorm, kFreqs, kBatchOperand, kKv };

constexpr OperandSpec kOperands[] = {
    {"x", kTensor},        {"norm", kTensor},     {"wq", kTensor},       {"wk", kTensor},           {"wv", kTensor},
    {"bq", kTensor, true}, {"bk", kTensor, true}, {"bv", kTensor, true}, {"q_norm", kTensor, true}, {"k_norm", kTensor, true},
    {"freqs", kTensor},    {"batch", kBatch},     {"kv", kCache},
};
constexpr OperandSpec kResults[] = {{"q", kTensor}, {"k", kTensor}, {"v", kTensor}};
constexpr OperandSpec kAppendResults[] = {{"q", kTensor}, {"kv", kCache}};
constexpr AttrSpec kAttrs[] = {
    {"eps", "real", true}, {"head_dim", "int", true}, {"interleaved", "bool", false}, {"scale", "real", false}, HYALITE_LINEAR_ATTRS,
};
constexpr AttrSpec kAppendAttrs[] = {
    {"eps", "real", true},  {"head_dim", "int", true}, {"interleaved", "bool", false}, {"scale", "real", false},
    {"layer", "int", true}, {"kv_heads", "int", true}, HYALITE_LINEAR_ATTRS,
};

std::vector<ValueType> infer(const Problem& problem) {
  const TensorType& x = token_rows_of(problem, kX, "x");
  check_linear_attrs(problem);
  expect(problem.attrs->real("eps") >= 0, "eps", "must not be negative");
  expect_vector(problem, kNorm, "norm", columns_of(x));
  const int64_t head_dim = check_rope(problem, kFreqs);
  std::vector<ValueType> results;
  for (int i = 0; i < 3; ++i) {
    const char* name = kOperands[kWq + i].name;
    const int64_t rows = weight_rows(problem, kWq + i, name, columns_of(x));
    expect(rows % head_dim == 0, name, "must have whole heads of " + std::to_string(head_dim) + " rows, has " + std::to_string(rows));
    if (given(problem, kBq + i)) expect_vector(problem, kBq + i, kOperands[kBq + i].name, rows);
    if (i < 2 && given(problem, kQNorm + i)) expect_vector(problem, kQNorm + i, kOperands[kQNorm + i].name, head_dim);
    results.push_back(ValueType::of(f32_matrix(x.dims[0], rows)));
  }
  return results;
}

std::vector<ValueType> infer_append(const Problem& problem) {
  check_layer(problem);
  const std::vector<ValueType> results = infer(problem);
  const int64_t columns = positive_attr(problem, "kv_heads") * positive_attr(problem, "head_dim");
  for (int i = 1; i < 3; ++i)
    expect(columns_of(results[i].tensor) == columns, kOperands[kWq + i].name,
           "must have kv_heads * head_dim = " + std::to_string(columns) + " rows, has " + std::to_string(columns_of(results[i].tensor)));
  return {results[0], ValueType::cache()};
}

Cost cost(const Problem& problem) {
  return linear_cost(problem, {kWq, kWk, kWv});
}

Cost cost_append(const Problem& problem) {
  Cost all = cost(problem);
  all.bytes += appended_bytes(problem);
  return all;
}

void bind(const Attrs& attrs, void* params) {
  *static_cast<RmsNormQkvRopeParams*>(params) = {static_cast<float>(attrs.real("eps")), rope_params(attrs)};
}

// Heads [begin, end) of y, which is q (which = 0) or k (which = 1) as the projection left it: normalised where there is a norm, then
// rotated.
void finish_heads(const OpArgs& args, int which, float* y, int64_t begin, int64_t end) {
  const auto& params = *static_cast<const RmsNormQkvRopeParams*>(args.params);
  const TensorView& freqs = args.inputs[kFreqs];
  const FloatVector norm(args.inputs[kQNorm + which]);
  const int64_t d = params.rope.head_dim, columns = args.inputs[kWq + which].rows();
  for (int64_t t = 0; t < args.inputs[kX].rows(); ++t)
    for (int64_t h = begin; h < end; ++h) {
      float* head = y + t * columns + h * d;
      if (norm.data()) rms_norm(head, norm.data(), d, params.eps, head);
      rope(head, freqs.as<float>(), freqs.columns(), args.batch->positions[t], params.rope);
    }
}

// Writes this thread's heads of q, k and v. Each thread normalises all rows of x for itself, which is cheaper than a barrier.
void project(const OpArgs& args, float* const qkv[3], WorkRange range) {
  const auto& params = *static_cast<const RmsNormQkvRopeParams*>(args.params);
  const TensorView& x = args.inputs[kX];
  const int64_t columns = x.columns(), d = params.rope.head_dim;
  const FloatVector norm(args.inputs[kNorm]);
  std::vector<float> normed(x.elements());
  for (int64_t t = 0; t < x.rows(); ++t) rms_norm(x.as<float>() + t * columns, norm.data(), columns, params.eps, &normed[t * columns]);
  const Activations rows(normed.data(), x.rows(), columns);
  for (int i = 0; i < 3; ++i) {
    const TensorView& w = args.inputs[kWq + i];
    const int64_t n = w.rows(), begin = range.begin(n, d), end = range.end(n, d);
    rows.multiply(w, FloatVector(args.inputs[kBq + i]).data(), begin, end, qkv[i], n);
    if (i < 2) finish_heads(args, i, qkv[i], begin / d, end / d);
  }
}

void evaluate(const OpArgs& args, WorkRange range) {
  float* const qkv[] = {args.outputs[0].as<float>(), args.outputs[1].as<float>(), args.outputs[2].as<float>()};
  project(args, qkv, range);
}

// A thread that has a head of k has the same head of v.
void evaluate_append(const OpArgs& args, WorkRange range) {
  const int64_t d = static_cast<const RmsNormQkvRopeParams*>(args.params)->rope.head_dim, n = args.inputs[kWk].rows();
  std::vector<float> k(args.inputs[kX].rows() * n), v(k.size());
  float* const qkv[] = {args.outputs[0].as<float>(), k.data(), v.data()};
  project(args, qkv, range);
  for (int64_t h = range.begin(n, d) / d; h < range.end(n, d) / d; ++h)
    append_head(*args.batch, *args.cache, k.data(), v.data(), static_cast<int32_t>(h));
}

}  // namespace

constinit const OpSpec op_fused_rmsnorm_qkv_rope{
    .name = "fused_rmsnorm_qkv_rope",
    .summary = "With n = rms_norm(x, norm): q = rope(rms_norm(n wq^T + bq, q_norm)), k likewise, v = n wv^T + bv.",
    .operands = std::span(kOperands).first(kKv),
    .results = kResults,
    .attrs = kAttrs,
    .infer = infer,
    .cost = cost,
    .bind = bind,
    .evaluate = evaluate,
};

constinit const OpSpec op_fused_rmsnorm_qkv_rope_append{
    .name = "fused_rmsnorm_qkv_rope_append",
    .summary = "q, k and v as of fused_rmsnorm_qkv_rope; k and v of each token go into the cache of `layer` at the token's position.",
    .operands = kOperands,
    .results = kAppendResults,
    .attrs = kAppendAttrs,
    .infer = infer_append,
    .cost = cost_append,
    .bind = bind,
    .evaluate = evaluate_append,
};

}  // namespace hyalite
