// Attention and the paged cache against a plain softmax in double precision over keys and values kept in order.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "ops/op_test_util.h"
#include "ops/paged_cache.h"

namespace hyalite {
namespace {

constexpr int kHeads = 4, kKvHeads = 2, kHeadDim = 6;
constexpr int kWidth = kHeads * kHeadDim, kKvWidth = kKvHeads * kHeadDim;
constexpr float kScale = 0.4f;

Attrs attention_attrs(int window) {
  return {{"layer", int64_t{0}},           {"heads", int64_t{kHeads}}, {"kv_heads", int64_t{kKvHeads}},
          {"head_dim", int64_t{kHeadDim}}, {"scale", kScale},          {"window", int64_t{window}}};
}

Operand cache_operand() {
  return state(ValueType::cache());
}
Operand batch_operand() {
  return state(ValueType::batch());
}

// Sequences that grow step by step, with what was appended so far; their pages lie scattered in one pool.
class Model {
 public:
  Model(int sequences, int pages_each, DType dtype) : history_(sequences), pages_(sequences * pages_each) {
    for (size_t i = 0; i < pages_.size(); ++i) pages_[i] = static_cast<int32_t>((i * 7 + 3) % pages_.size());
    for (int s = 0; s < sequences; ++s) tables_.push_back({pages_.data() + s * pages_each, pages_each});
    cache_.spec = {.kv_heads = kKvHeads, .head_dim = kHeadDim, .dtype = dtype};
    cache_.page_bytes = page_bytes_of(cache_.spec);
    pool_.assign(cache_.page_bytes * static_cast<int64_t>(pages_.size()), 0xff);  // NaN where nothing was written
    cache_.data = pool_.data();
  }

  // The next counts[s] tokens of each sequence with random q, k, v.
  void next_step(const std::vector<int>& counts) {
    positions_.clear();
    sequence_of_.clear();
    for (size_t s = 0; s < counts.size(); ++s)
      for (int i = 0; i < counts[s]; ++i) {
        positions_.push_back(static_cast<int32_t>(history_[s].size()) + i);
        sequence_of_.push_back(static_cast<int32_t>(s));
      }
    q = random(kWidth), k = random(kKvWidth), v = random(kKvWidth);
    for (size_t t = 0; t < positions_.size(); ++t) {
      const auto row = [&](const std::vector<float>& x) { return std::vector<float>(&x[t * kKvWidth], &x[t * kKvWidth] + kKvWidth); };
      history_[sequence_of_[t]].push_back({row(k), row(v)});
    }
    batch_ = {.tokens = tokens(),
              .sequences = static_cast<int32_t>(tables_.size()),
              .cache_groups = 1,
              .positions = positions_.data(),
              .sequence_of = sequence_of_.data(),
              .tables = tables_.data()};
  }

  std::vector<float> expected(int window) const {
    std::vector<float> y;
    for (int32_t t = 0; t < tokens(); ++t)
      for (int h = 0; h < kHeads; ++h) {
        const std::vector<float> head = attend(t, h, window);
        y.insert(y.end(), head.begin(), head.end());
      }
    return y;
  }

  int32_t tokens() const { return static_cast<int32_t>(positions_.size()); }
  Operand rows(const std::vector<float>& x, int64_t columns) const { return floats({tokens(), columns}, x); }
  const BatchView* batch() const { return &batch_; }
  const CacheView* cache() const { return &cache_; }
  const std::vector<uint8_t>& pool() const { return pool_; }

  void append(int threads = 1) {
    run_op("cache_append", {cache_operand(), rows(k, kKvWidth), rows(v, kKvWidth), batch_operand()},
           {{"layer", int64_t{0}}, {"kv_heads", int64_t{kKvHeads}}, {"head_dim", int64_t{kHeadDim}}}, batch(), cache(), threads);
  }
  std::vector<float> paged(const char* op, int window, int threads = 1) {
    return run_op(op, {rows(q, kWidth), cache_operand(), batch_operand()}, attention_attrs(window), batch(), cache(), threads).results[0];
  }
  std::vector<float> logical(int window, int threads = 1) {
    return run_op("grouped_query_attention", {rows(q, kWidth), rows(k, kKvWidth), rows(v, kKvWidth), cache_operand(), batch_operand()},
                  attention_attrs(window), batch(), cache(), threads)
        .results[0];
  }

  std::vector<float> q, k, v;

 private:
  struct KeyValue {
    std::vector<float> k, v;
  };

  std::vector<float> random(int columns) {
    std::vector<float> values(positions_.size() * columns);
    for (float& value : values) value = static_cast<float>(static_cast<int>(random_() % 2001) - 1000) / 400;
    return values;
  }

  std::vector<float> attend(int32_t t, int h, int window) const {
    const auto& past = history_[sequence_of_[t]];
    const int last = positions_[t], first = window ? std::max(0, last - window + 1) : 0, at = h / (kHeads / kKvHeads) * kHeadDim;
    double sum = 0;
    std::vector<double> y(kHeadDim);
    for (int p = first; p <= last; ++p) {
      double score = 0;
      for (int i = 0; i < kHeadDim; ++i) score += static_cast<double>(q[t * kWidth + h * kHeadDim + i]) * past[p].k[at + i];
      const double weight = std::exp(score * kScale);
      sum += weight;
      for (int i = 0; i < kHeadDim; ++i) y[i] += weight * past[p].v[at + i];
    }
    std::vector<float> result(kHeadDim);
    for (int i = 0; i < kHeadDim; ++i) result[i] = static_cast<float>(y[i] / sum);
    return result;
  }

  std::vector<std::vector<KeyValue>> history_;
  std::vector<int32_t> pages_, positions_, sequence_of_;
  std::vector<PageTable> tables_;
  std::vector<uint8_t> pool_;
  CacheView cache_;
  BatchView batch_;
  std::mt19937 random_{11};
};

TEST(Attention, LogicalMatchesAPlainSoftmax) {
  for (int window : {0, 1, 5, 70}) {
    Model model(2, 3, DType::f32);
    for (const std::vector<int>& counts : {std::vector{5, 3}, std::vector{1, 1}, std::vector{100, 0}, std::vector{1, 64}}) {
      model.next_step(counts);
      expect_near(model.logical(window), model.expected(window), 1e-5f);
    }
  }
}

TEST(Attention, PagedMatchesAPlainSoftmax) {
  for (int window : {0, 1, 5, 70}) {
    Model model(2, 3, DType::f32);
    for (const std::vector<int>& counts : {std::vector{5, 3}, std::vector{1, 1}, std::vector{100, 0}, std::vector{1, 64}}) {
      model.next_step(counts);
      model.append();
      expect_near(model.paged("paged_attention_prefill", window), model.expected(window), 1e-5f);
    }
    model.next_step({1, 1});
    model.append();
    expect_near(model.paged("paged_attention_decode", window), model.expected(window), 1e-5f);
  }
}

TEST(Attention, NarrowCachesRoundTheirContent) {
  const std::pair<DType, float> tolerances[] = {{DType::f16, 0.003f}, {DType::bf16, 0.03f}, {DType::q8_0, 0.03f}};
  for (const auto& [dtype, tolerance] : tolerances) {
    Model model(1, 2, dtype);
    model.next_step({80});
    model.append();
    expect_near(model.paged("paged_attention_prefill", 0), model.expected(0), tolerance);
  }
}

// Codes reach 127 at the largest value of a head; zeros stay zeros, and what is not finite stays so for its own position and head alone.
TEST(Attention, EightBitCacheScalesEachHeadAndPosition) {
  Model model(1, 1, DType::q8_0);
  model.next_step({3});
  const float row[] = {1, -2, 0.5f, 0, 0.001f, 1.5f};
  std::copy(row, row + 6, model.k.begin());                 // position 0, head 0
  std::fill_n(model.k.begin() + kHeadDim, kHeadDim, 0.0f);  // position 0, head 1
  model.v[kKvWidth + 2] = NAN;                              // position 1, head 0
  model.append();
  const auto* codes = reinterpret_cast<const int8_t*>(model.pool().data());
  const int expected[] = {64, -127, 32, 0, 0, 95};  // to nearest even
  for (int i = 0; i < kHeadDim; ++i) EXPECT_EQ(codes[i * kPageTokens], expected[i]) << i;
  const auto scale = [&](int head, int which, int slot) {
    float value;
    std::memcpy(
        &value,
        model.pool().data() + head * head_bytes_of(model.cache()->spec) + 2 * kPageTokens * kHeadDim + (which * kPageTokens + slot) * 4, 4);
    return value;
  };
  EXPECT_EQ(scale(0, 0, 0), 2.0f / 127);
  EXPECT_EQ(scale(1, 0, 0), 0);
  EXPECT_TRUE(std::isnan(scale(0, 1, 1)));
  EXPECT_FALSE(std::isnan(scale(0, 0, 1)) || std::isnan(scale(1, 1, 1)));
}

// A window's pages are reused as a ring: pages that hold window - 1 earlier positions and the step's tokens suffice.
TEST(Attention, SlidingWindowReusesItsPages) {
  Model model(1, 2, DType::f32);
  for (int step = 0; step < 30; ++step) {
    model.next_step({17});
    model.append();
    expect_near(model.paged("paged_attention_prefill", 40), model.expected(40), 1e-5f);
  }
}

TEST(Attention, DoesNotDependOnThreadsOrChunks) {
  Model whole(1, 3, DType::f16), split(1, 3, DType::f16);
  whole.next_step({150});
  split.next_step({150});  // the same random numbers
  whole.append();
  split.append(2);
  EXPECT_EQ(whole.pool(), split.pool());
  EXPECT_EQ(whole.paged("paged_attention_prefill", 0), split.paged("paged_attention_prefill", 0, 7));
  EXPECT_EQ(whole.logical(0), split.logical(0, 2));
  // The last token alone sees what it saw in the company of the whole prompt.
  const std::vector<float> together = whole.paged("paged_attention_prefill", 0);
  const int32_t position = 149, sequence = 0;
  BatchView alone = *whole.batch();
  alone.tokens = 1, alone.positions = &position, alone.sequence_of = &sequence;
  const std::vector<float> q(whole.q.end() - kWidth, whole.q.end());
  const OpRun run = run_op("paged_attention_decode", {floats({1, kWidth}, q), cache_operand(), batch_operand()}, attention_attrs(0), &alone,
                           whole.cache());
  EXPECT_EQ(run.results[0], std::vector<float>(together.end() - kWidth, together.end()));
}

TEST(Attention, TypeRuleHoldsHeadsTogether) {
  const ValueType q = f32({Dim::tokens(), Dim(kWidth)}), kv = ValueType::cache(), batch = ValueType::batch();
  Attrs attrs = attention_attrs(0);
  EXPECT_EQ(infer_error("paged_attention_decode", {q, kv, batch}, attrs), "no error");
  attrs.set("kv_heads", int64_t{3});
  EXPECT_EQ(infer_error("paged_attention_decode", {q, kv, batch}, attrs), "heads: must be a multiple of kv_heads");
  attrs = attention_attrs(0);
  attrs.set("head_dim", int64_t{7});
  EXPECT_EQ(infer_error("paged_attention_decode", {q, kv, batch}, attrs),
            "q: must have heads * head_dim = 28 columns, is tensor<T x 24 x f32>");
  EXPECT_EQ(infer_error("grouped_query_attention", {q, q, q, kv, batch}, attention_attrs(0)),
            "k: must be tensor<T x 12 x f32>, is tensor<T x 24 x f32>");
}

TEST(Attention, CostFollowsTheVisiblePositions) {
  const std::vector<ValueType> operands = {f32({Dim::tokens(), Dim(kWidth)}), ValueType::cache(), ValueType::batch()};
  Attrs attrs = attention_attrs(0);
  Problem problem{.operands = operands, .results = {operands.data(), 1}, .attrs = &attrs, .symbols = {.tokens = 2, .sequences = 2}};
  problem.cached = 99;
  const OpSpec& op = *find_op("paged_attention_decode");
  EXPECT_EQ(cost_of(op, problem).flops, 4.0 * kWidth * 2 * 100);
  EXPECT_EQ(cost_of(op, problem).bytes, 2.0 * 4 * 2 * kWidth + 2.0 * 2 * 100 * 2 * kKvWidth);
  attrs = attention_attrs(10);
  EXPECT_EQ(cost_of(op, problem).flops, 4.0 * kWidth * 2 * 10);
}

}  // namespace
}  // namespace hyalite
