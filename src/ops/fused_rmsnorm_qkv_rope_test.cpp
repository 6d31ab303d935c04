// The fused ops must be the chain of small ops, bit for bit, for any split of the heads among threads.
#include <cmath>

#include "ops/op_test_util.h"
#include "ops/paged_cache.h"

namespace hyalite {
namespace {

std::vector<float> waves(size_t n, float (*wave)(float), float rate = 1) {
  std::vector<float> values(n);
  for (size_t i = 0; i < n; ++i) values[i] = wave(rate * static_cast<float>(i));
  return values;
}

Operand batch_operand() {
  return state(ValueType::batch());
}

// Three tokens of one sequence, in two pages; 2 heads of q and 2 of k and v.
class FusedRmsnormQkvRope : public testing::Test {
 protected:
  // Operands of fused_rmsnorm_qkv_rope; wv is wk.
  std::vector<Operand> operands() const {
    return {input, norm, q_weight, k_weight, k_weight, bias, absent(), absent(), head_norm, absent(), freqs, batch_operand()};
  }

  const std::vector<int32_t> positions{3, 63, 64}, sequence_of{0, 0, 0}, pages{1, 0};
  const PageTable table{pages.data(), 2};
  const BatchView batch{
      .tokens = 3, .sequences = 1, .cache_groups = 1, .positions = positions.data(), .sequence_of = sequence_of.data(), .tables = &table};
  const Operand input = floats({3, 8}, waves(24, std::sin)), norm = floats({8}, {1, 2, 1, 2, 1, 2, 1, 2});
  const Operand head_norm = floats({4}, {1, 2, 3, 4}), bias = floats({8}, {1, 2, 3, 4, 5, 6, 7, 8}), freqs = floats({2}, {1, 0.1f});
  const Operand q_weight = floats({8, 8}, waves(64, std::cos)), k_weight = floats({8, 8}, waves(64, std::cos, 5));
  const Attrs attrs{{"eps", 1e-5}, {"head_dim", int64_t{4}}};
  const Attrs append_attrs{{"eps", 1e-5}, {"head_dim", int64_t{4}}, {"layer", int64_t{0}}, {"kv_heads", int64_t{2}}};
};

TEST_F(FusedRmsnormQkvRope, IsTheChainOfSmallOps) {
  const Attrs eps{{"eps", 1e-5}}, heads{{"head_dim", int64_t{4}}};
  const Operand normed = floats({3, 8}, run_op("rms_norm", {input, norm}, eps).results[0]);
  Operand q = floats({3, 8}, run_op("matmul", {normed, q_weight}).results[0]);
  q = floats({3, 8}, run_op("add", {q, bias}).results[0]);
  q = floats({3, 8}, run_op("rms_norm", {q, head_norm}, eps).results[0]);
  const std::vector<float> expected_q = run_op("rope", {q, freqs, batch_operand()}, heads, &batch).results[0];
  const std::vector<float> v = run_op("matmul", {normed, k_weight}).results[0];
  const std::vector<float> expected_k = run_op("rope", {floats({3, 8}, v), freqs, batch_operand()}, heads, &batch).results[0];
  for (int threads : {1, 2, 5}) {
    const OpRun run = run_op("fused_rmsnorm_qkv_rope", operands(), attrs, &batch, nullptr, threads);
    EXPECT_EQ(run.results[0], expected_q);
    EXPECT_EQ(run.results[1], expected_k);
    EXPECT_EQ(run.results[2], v);
  }
}

TEST_F(FusedRmsnormQkvRope, AppendsAsCacheAppendDoes) {
  const OpRun apart = run_op("fused_rmsnorm_qkv_rope", operands(), attrs, &batch);
  std::vector<Operand> appending = operands();
  appending.push_back(state(ValueType::cache()));
  for (DType dtype : {DType::f32, DType::f16, DType::bf16, DType::q8_0}) {
    const CacheSpec spec{.kv_heads = 2, .head_dim = 4, .dtype = dtype};
    const int64_t page = page_bytes_of(spec);
    std::vector<uint8_t> expected(2 * page, 0xff);
    CacheView cache{expected.data(), page, 0, spec};
    for (int32_t head = 0; head < 2; ++head) append_head(batch, cache, apart.results[1].data(), apart.results[2].data(), head);
    for (int threads : {1, 2, 5}) {
      std::vector<uint8_t> bytes(2 * page, 0xff);
      cache.data = bytes.data();
      const OpRun run = run_op("fused_rmsnorm_qkv_rope_append", appending, append_attrs, &batch, &cache, threads);
      EXPECT_EQ(run.results[0], apart.results[0]);
      EXPECT_TRUE(bytes == expected) << format_of(dtype).name << ", " << threads << " threads";
    }
  }
}

TEST_F(FusedRmsnormQkvRope, AppendsHeadsOfTheCache) {
  std::vector<ValueType> types;
  for (const Operand& operand : operands()) types.push_back(operand.type);
  types[0].tensor.dims[0] = Dim::tokens();
  types.push_back(ValueType::cache());
  Attrs other = append_attrs;
  EXPECT_EQ(infer_error("fused_rmsnorm_qkv_rope_append", types, other), infer_error("fused_rmsnorm_qkv_rope", types, attrs));
  other.set("kv_heads", int64_t{3});
  EXPECT_EQ(infer_error("fused_rmsnorm_qkv_rope_append", types, other), "wk: must have kv_heads * head_dim = 12 rows, has 8");
  types[4].tensor.dims[0] = Dim(12);
  EXPECT_EQ(infer_error("fused_rmsnorm_qkv_rope_append", types, append_attrs), "wv: must have kv_heads * head_dim = 8 rows, has 12");
}

// Bytes of the op that keeps k and v, less theirs, and those of the cache.
TEST_F(FusedRmsnormQkvRope, CostsWhatItWritesToTheCache) {
  std::vector<ValueType> types;
  for (const Operand& operand : operands()) types.push_back(operand.type);
  types[0].tensor.dims[0] = Dim::tokens();
  const CacheSpec spec{.kv_heads = 2, .head_dim = 4, .dtype = DType::q8_0};
  Problem problem{.operands = types, .attrs = &append_attrs, .symbols = {.tokens = 3}, .cache = &spec};
  const std::vector<ValueType> apart = find_op("fused_rmsnorm_qkv_rope")->infer(problem);
  const std::vector<ValueType> fused = find_op("fused_rmsnorm_qkv_rope_append")->infer(problem);
  problem.results = apart;
  const Cost of_apart = cost_of(*find_op("fused_rmsnorm_qkv_rope"), problem);
  problem.results = fused;
  const Cost of_fused = cost_of(*find_op("fused_rmsnorm_qkv_rope_append"), problem);
  EXPECT_EQ(of_fused.flops, of_apart.flops);
  EXPECT_EQ(of_fused.bytes, of_apart.bytes - 2 * 3 * 8 * 4 + 2 * 3 * 2 * (4 + 4));  // codes and a scale for each head
}

}  // namespace
}  // namespace hyalite
