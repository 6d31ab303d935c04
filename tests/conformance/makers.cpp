// One function per op: odd shapes, optional operands present and absent, every format. Seeds follow from the place in the list.
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "case.h"

namespace hyalite::conformance {
namespace {

struct Size {
  int64_t tokens, columns;
};
constexpr Size kSizes[] = {{1, 1}, {1, 576}, {2, 15}, {3, 16}, {5, 17}, {7, 100}, {16, 96}, {33, 257}};

std::string label_of(const Size& size) {
  return std::to_string(size.tokens) + " x " + std::to_string(size.columns);
}

std::vector<Case> unary_cases(std::string_view op, float size_of_x, const Attrs& attrs) {
  std::vector<Case> cases;
  uint32_t seed = 1;
  for (const Size& size : kSizes) {
    CaseBuilder builder(op, label_of(size), seed++);
    for (const auto& [name, value] : attrs.items()) builder.attr(name, value);
    cases.push_back(builder.tokens(size.tokens).activations(size.columns, size_of_x).done());
  }
  return cases;
}

std::vector<Case> binary_cases(std::string_view op) {
  std::vector<Case> cases;
  uint32_t seed = 1;
  for (const Size& size : kSizes) {
    const auto start = [&](const char* what) {
      CaseBuilder builder(op, label_of(size) + what, seed++);
      builder.tokens(size.tokens).activations(size.columns);
      return builder;
    };
    cases.push_back(start(" and the same").activations(size.columns).done());
    cases.push_back(start(" and a row").vector(size.columns).done());
  }
  return cases;
}

std::vector<Case> cases_add() {
  return binary_cases("add");
}
std::vector<Case> cases_mul() {
  return binary_cases("mul");
}
std::vector<Case> cases_scale() {
  return unary_cases("scale", 1, {{"factor", 0.7}});
}
std::vector<Case> cases_softcap() {
  std::vector<Case> cases = unary_cases("softcap", 20, {{"factor", 30.0}});
  for (Case& small : unary_cases("softcap", 1, {{"factor", 50.0}})) cases.push_back(std::move(small));
  return cases;
}
std::vector<Case> cases_silu() {
  return unary_cases("silu", 4, {});
}
std::vector<Case> cases_gelu_tanh() {
  return unary_cases("gelu_tanh", 3, {});
}

std::vector<Case> cases_select_rows() {
  std::vector<Case> cases;
  uint32_t seed = 1;
  for (const int64_t columns : {int64_t{1}, int64_t{33}, int64_t{576}}) {
    CaseBuilder builder("select_rows", std::to_string(columns) + " columns", seed++);
    cases.push_back(builder.batch({{0, 5}, {70, 1}, {3, 9}}).activations(columns).batch_operand().done());
  }
  return cases;
}

std::vector<Case> cases_rms_norm() {
  std::vector<Case> cases;
  uint32_t seed = 1;
  const auto add = [&](const Size& size, int64_t run, float middle) {
    CaseBuilder builder("rms_norm", label_of(size) + " in runs of " + std::to_string(run), seed++);
    cases.push_back(builder.attr("eps", 1e-5).tokens(size.tokens).activations(size.columns).vector(run, 0.3f, middle).done());
  };
  for (const Size& size : kSizes) add(size, size.columns, 1);
  add({5, 4 * 64}, 64, 1);
  add({3, 3 * 80}, 80, 0);
  return cases;
}

std::vector<Case> cases_fused_residual_rmsnorm() {
  std::vector<Case> cases;
  uint32_t seed = 1;
  for (const Size& size : kSizes) {
    for (const bool post : {false, true}) {
      CaseBuilder builder("fused_residual_rmsnorm", label_of(size) + (post ? " with post norm" : ""), seed++);
      builder.attr("eps", 1e-6).tokens(size.tokens).activations(size.columns).activations(size.columns, 3);
      post ? builder.vector(size.columns, 0.2f, 1) : builder.absent();
      cases.push_back(builder.vector(size.columns, 0.2f, 1).done());
    }
  }
  return cases;
}

std::vector<Case> cases_rope() {
  struct Shape {
    int64_t heads, head_dim, pairs;
    bool interleaved;
    double scale;
  };
  std::vector<Case> cases;
  uint32_t seed = 1;
  for (const Shape& s :
       {Shape{1, 2, 1, false, 1}, {3, 64, 32, false, 1}, {2, 80, 40, true, 1}, {5, 96, 24, false, 1.2}, {2, 112, 50, true, 0.9}}) {
    CaseBuilder builder("rope", std::to_string(s.heads) + " heads of " + std::to_string(s.head_dim), seed++);
    builder.attr("head_dim", s.head_dim).attr("interleaved", s.interleaved).attr("scale", s.scale);
    cases.push_back(builder.batch({{0, 3}, {4000, 1}, {61, 6}, {8191, 2}, {100000, 1}})
                        .activations(s.heads * s.head_dim)
                        .rates(s.pairs)
                        .batch_operand()
                        .done());
  }
  return cases;
}

struct CacheShape {
  int32_t heads, kv_heads, head_dim, window;
  DType dtype;
};
// Odd head sizes, one kv head up to all, groups larger than a tile, windows smaller and larger than a page.
constexpr CacheShape kCacheShapes[] = {
    {9, 3, 64, 0, DType::f16},    {4, 4, 80, 0, DType::bf16}, {12, 2, 128, 0, DType::f16},   {14, 1, 32, 0, DType::f32},
    {4, 1, 256, 100, DType::f16}, {2, 2, 96, 7, DType::f16},  {6, 2, 112, 300, DType::bf16}, {5, 5, 24, 0, DType::f16},
    {3, 1, 10, 64, DType::f32},   {9, 3, 64, 0, DType::q8_0}, {4, 1, 80, 100, DType::q8_0},  {3, 3, 10, 0, DType::q8_0},
};

CacheSpec spec_of(const CacheShape& shape) {
  return {.kind = shape.window > 0 ? CacheSpec::Kind::sliding_window : CacheSpec::Kind::paged,
          .kv_heads = shape.kv_heads,
          .head_dim = shape.head_dim,
          .window = shape.window,
          .dtype = shape.dtype};
}

std::string label_of(const CacheShape& s) {
  return std::to_string(s.heads) + " heads on " + std::to_string(s.kv_heads) + " of " + std::to_string(s.head_dim) + ", window " +
         std::to_string(s.window) + ", " + std::string(format_of(s.dtype).name);
}

std::vector<Case> cases_cache_append() {
  std::vector<Case> cases;
  uint32_t seed = 1;
  for (const CacheShape& shape : kCacheShapes) {
    const int64_t columns = int64_t{shape.kv_heads} * shape.head_dim;
    CaseBuilder builder("cache_append", label_of(shape), seed++);
    builder.attr("layer", int64_t{0}).attr("kv_heads", int64_t{shape.kv_heads}).attr("head_dim", int64_t{shape.head_dim});
    builder.batch({{0, 20}, {63, 1}, {50, 37}, {128, 3}}, spec_of(shape)).cache(spec_of(shape), false);
    cases.push_back(builder.cache_operand().activations(columns).activations(columns).batch_operand().done());
  }
  return cases;
}

Case attention_case(std::string_view op, const CacheShape& shape, const std::vector<Run>& runs, uint32_t seed) {
  CaseBuilder builder(op, label_of(shape) + ", " + std::to_string(runs.size()) + " sequences", seed);
  builder.attr("layer", int64_t{0}).attr("heads", int64_t{shape.heads}).attr("kv_heads", int64_t{shape.kv_heads});
  builder.attr("head_dim", int64_t{shape.head_dim}).attr("scale", 0.125).attr("window", int64_t{shape.window});
  builder.batch(runs, spec_of(shape)).cache(spec_of(shape), true);
  return builder.activations(int64_t{shape.heads} * shape.head_dim, 2).cache_operand().batch_operand().done();
}

std::vector<Case> attention_cases(std::string_view op, const std::vector<std::vector<Run>>& batches) {
  std::vector<Case> cases;
  uint32_t seed = 1;
  for (const CacheShape& shape : kCacheShapes) {
    for (const std::vector<Run>& runs : batches) cases.push_back(attention_case(op, shape, runs, seed++));
  }
  // Far into a text; the cache of a small head only, because it has to be filled.
  cases.push_back(attention_case(op, {2, 1, 8, 0, DType::f16}, {{8191, 2}, {20000, 1}}, seed++));
  cases.push_back(attention_case(op, {2, 1, 8, 100, DType::f16}, {{8191, 2}, {70000, 1}}, seed++));
  return cases;
}

// From the first token on, across pages and across chunks of 256, alone and in company; and many tokens that see much in common, in each
// narrow format, with heads of whole vectors and of parts.
std::vector<Case> cases_paged_attention_prefill() {
  const std::string_view op = "paged_attention_prefill";
  std::vector<Case> cases = attention_cases(op, {{{0, 70}}, {{0, 1}, {250, 12}, {63, 3}, {513, 2}}});
  uint32_t seed = 100;
  for (const CacheShape& shape :
       {CacheShape{12, 1, 24, 0, DType::f16}, CacheShape{12, 1, 10, 0, DType::q8_0}, CacheShape{6, 1, 112, 300, DType::bf16}})
    cases.push_back(attention_case(op, shape, {{1030, 20}}, seed++));
  return cases;
}
std::vector<Case> cases_paged_attention_decode() {
  return attention_cases("paged_attention_decode", {{{0, 1}}, {{777, 1}}, {{255, 1}, {256, 1}, {5, 1}, {600, 1}, {63, 1}}});
}

std::vector<DType> weight_formats() {
  return {DType::f32,    DType::f16,   DType::bf16, DType::q4_0,     DType::q4_1,     DType::q5_0,
          DType::q5_1,   DType::q8_0,  DType::q4_k, DType::q5_k,     DType::q6_k,     DType::iq4_nl,
          DType::iq4_xs, DType::mxfp4, DType::int8, DType::int4_g32, DType::int4_g64, DType::int4_g128};
}

// A weight format and what its activations may be rounded to.
struct Multiplied {
  DType dtype;
  std::string activations;
};
std::vector<Multiplied> multiplied_formats() {
  std::vector<Multiplied> all;
  for (const DType dtype : weight_formats()) all.push_back({dtype, format_of(dtype).is_quantized ? "q8" : "f32"});
  all.push_back({DType::bf16, "bf16"});
  return all;
}

int64_t columns_for(DType dtype, int64_t blocks_of_32) {
  const int64_t block = format_of(dtype).is_quantized ? format_of(dtype).block_elements : 32;
  return (blocks_of_32 * 32 + block - 1) / block * block;
}

struct LinearShape {
  int64_t tokens, blocks, rows;  // columns = blocks * 32, or whole blocks of 256 for formats that want them
};
constexpr LinearShape kLinearShapes[] = {{1, 3, 33}, {2, 1, 1}, {5, 18, 16}, {9, 4, 47}, {18, 8, 64}};

std::string label_of(const LinearShape& s, DType dtype) {
  return std::string(format_of(dtype).name) + " " + std::to_string(s.tokens) + " x " + std::to_string(columns_for(dtype, s.blocks)) +
         " to " + std::to_string(s.rows);
}

std::vector<Case> cases_embed() {
  std::vector<Case> cases;
  uint32_t seed = 1;
  for (const DType dtype : weight_formats()) {
    for (const int64_t rows : {int64_t{1}, int64_t{37}}) {
      const LinearShape shape{6, 5, rows};
      CaseBuilder builder("embed", label_of(shape, dtype), seed++);
      cases.push_back(builder.tokens(6).ids(static_cast<int32_t>(rows)).weight(dtype, rows, columns_for(dtype, shape.blocks)).done());
    }
  }
  return cases;
}

std::vector<Case> cases_matmul() {
  std::vector<Case> cases;
  uint32_t seed = 1;
  for (const auto& [dtype, activations] : multiplied_formats()) {
    for (const LinearShape& shape : kLinearShapes) {
      const int64_t columns = columns_for(dtype, shape.blocks);
      CaseBuilder builder("matmul", label_of(shape, dtype) + ", activations " + activations, seed++);
      builder.attr("activations", activations).tokens(shape.tokens).activations(columns);
      cases.push_back(builder.weight(dtype, shape.rows, columns).done());
    }
  }
  return cases;
}

std::vector<Case> cases_lm_head() {
  std::vector<Case> cases;
  uint32_t seed = 1;
  for (const DType dtype : {DType::q8_0, DType::q6_k}) {
    for (const LinearShape& shape : kLinearShapes) {
      const int64_t columns = columns_for(dtype, shape.blocks);
      CaseBuilder builder("lm_head", label_of(shape, dtype), seed++);
      builder.attr("activations", std::string("q8x2")).batch(std::vector<Run>(shape.tokens, Run{0, 1})).activations(columns);
      cases.push_back(builder.weight(dtype, shape.rows, columns).batch_operand().done());
    }
  }
  return cases;
}

std::vector<Case> cases_fused_qkv() {
  std::vector<Case> cases;
  uint32_t seed = 1;
  for (const auto& [dtype, activations] : multiplied_formats()) {
    for (const bool bias : {false, true}) {
      const LinearShape shape{bias ? 1 : 7, 3, 80};
      const int64_t columns = columns_for(dtype, shape.blocks);
      CaseBuilder builder("fused_qkv", label_of(shape, dtype) + (bias ? " with bias" : "") + ", activations " + activations, seed++);
      builder.attr("activations", activations).tokens(shape.tokens).activations(columns);
      for (const int64_t rows : {80, 16, 33}) builder.weight(dtype, rows, columns);
      for (const int64_t rows : {80, 16, 33}) bias ? builder.vector(rows) : builder.absent();
      cases.push_back(builder.done());
    }
  }
  return cases;
}

struct NormedShape {
  int64_t heads, kv_heads, head_dim, pairs;
  bool bias, head_norms, interleaved;
  std::vector<Run> runs;
};

// With a format of a cache, the op that appends.
Case normed_case(const NormedShape& s, const Multiplied& weights, uint32_t seed, std::optional<DType> cache = {}) {
  const auto& [dtype, activations] = weights;
  const int64_t columns = columns_for(dtype, 3), kv_rows = s.kv_heads * s.head_dim;
  const std::array<int64_t, 3> rows{s.heads * s.head_dim, kv_rows, kv_rows};
  std::string label = std::string(format_of(dtype).name) + " " + std::to_string(s.heads) + " heads of " + std::to_string(s.head_dim) +
                      ", activations " + activations;
  if (cache) label += ", a cache of " + std::string(format_of(*cache).name);
  CaseBuilder builder(cache ? "fused_rmsnorm_qkv_rope_append" : "fused_rmsnorm_qkv_rope", label, seed);
  builder.attr("eps", 1e-5).attr("head_dim", s.head_dim).attr("interleaved", s.interleaved).attr("scale", 1.0);
  builder.attr("activations", activations).batch(s.runs).activations(columns).vector(columns, 0.2f, 1);
  for (const int64_t n : rows) builder.weight(dtype, n, columns);
  for (const int64_t n : rows) s.bias ? builder.vector(n, 0.1f) : builder.absent();
  for (int i = 0; i < 2; ++i) s.head_norms ? builder.vector(s.head_dim, 0.2f, 1) : builder.absent();
  builder.rates(s.pairs).batch_operand();
  if (!cache) return builder.done();
  builder.attr("layer", int64_t{0}).attr("kv_heads", s.kv_heads).cache_operand();
  return builder.cache({.kv_heads = static_cast<int32_t>(s.kv_heads), .head_dim = static_cast<int32_t>(s.head_dim), .dtype = *cache}, false)
      .done();
}

std::vector<NormedShape> normed_shapes() {
  const std::vector<Run> alone{{5, 1}}, many{{0, 9}, {1000, 1}, {64, 3}};
  return {{3, 1, 64, 32, false, false, false, many},
          {2, 2, 80, 40, true, false, false, alone},
          {2, 1, 96, 24, false, true, false, many},
          {4, 1, 16, 8, true, true, true, many}};
}

std::vector<Case> cases_fused_rmsnorm_qkv_rope() {
  std::vector<Case> cases;
  uint32_t seed = 1;
  for (const Multiplied& weights : multiplied_formats())
    for (const NormedShape& shape : normed_shapes()) cases.push_back(normed_case(shape, weights, seed++));
  return cases;
}

// Each weight format with each format of a cache; and runs that cross pages.
std::vector<Case> cases_fused_rmsnorm_qkv_rope_append() {
  const std::vector<DType> caches{DType::f32, DType::f16, DType::bf16, DType::q8_0};
  std::vector<Case> cases;
  uint32_t seed = 1;
  for (const Multiplied& weights : multiplied_formats()) {
    size_t next = cases.size() / caches.size();  // so that shapes meet other caches with other weights
    for (const NormedShape& shape : normed_shapes()) cases.push_back(normed_case(shape, weights, seed++, caches[next++ % caches.size()]));
  }
  const NormedShape longer{6, 3, 24, 12, false, false, false, {{50, 37}, {7, 1}, {128, 3}}};
  for (const DType cache : caches) cases.push_back(normed_case(longer, {DType::q8_0, "q8"}, seed++, cache));
  return cases;
}

std::vector<Case> cases_fused_glu() {
  std::vector<Case> cases;
  uint32_t seed = 1;
  for (const auto& [dtype, activations] : multiplied_formats()) {
    for (const char* activation : {"silu", "gelu_tanh"}) {
      for (const LinearShape& shape : kLinearShapes) {
        const int64_t columns = columns_for(dtype, shape.blocks);
        CaseBuilder builder("fused_glu", label_of(shape, dtype) + " " + activation + ", activations " + activations, seed++);
        builder.attr("activation", std::string(activation)).attr("activations", activations);
        builder.tokens(shape.tokens).activations(columns);
        cases.push_back(builder.weight(dtype, shape.rows, columns).weight(dtype, shape.rows, columns).done());
      }
    }
  }
  return cases;
}

}  // namespace

const std::vector<Case>& cases_of(std::string_view op) {
  constexpr std::pair<std::string_view, std::vector<Case> (*)()> makers[] = {
#define MAKER(name) {#name, cases_##name},
#include "makers.inc"
#undef MAKER
  };
  static std::map<std::string_view, std::vector<Case>> made;
  static const std::vector<Case> none;
  for (const auto& [name, make] : makers) {
    if (name != op) continue;
    const auto [place, fresh] = made.try_emplace(name);
    if (fresh) place->second = make();
    return place->second;
  }
  return none;
}

}  // namespace hyalite::conformance
