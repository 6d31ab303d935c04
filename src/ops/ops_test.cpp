// Each op against values worked out by hand (or by the formula written out again in double precision).
#include <cmath>
#include <fstream>
#include <iterator>
#include <numbers>
#include <set>

#include "ops/op_test_util.h"
#include "ops/schema.h"

namespace hyalite {
namespace {

// Token positions of one sequence, for ops that read nothing else of a batch.
struct Positions {
  std::vector<int32_t> values, rows;
  BatchView batch;
  explicit Positions(std::vector<int32_t> positions, std::vector<int32_t> logits_rows = {})
      : values(std::move(positions)), rows(std::move(logits_rows)) {
    batch.tokens = static_cast<int32_t>(values.size());
    batch.sequences = 1;
    batch.logits_rows = static_cast<int32_t>(rows.size());
    batch.positions = values.data();
    batch.logits_row = rows.data();
  }
};

Operand batch_operand() {
  return state(ValueType::batch());
}

TEST(OpTable, FindsEveryOpByName) {
  std::set<std::string_view> names;
  for (const OpSpec* op : all_ops()) {
    EXPECT_EQ(find_op(op->name), op);
    EXPECT_TRUE(names.insert(op->name).second) << op->name;
    EXPECT_FALSE(op->summary.empty());
    EXPECT_FALSE(op->results.empty());
    for (const AttrSpec& attr : op->attrs) EXPECT_EQ(find_attr(*op, attr.name), &attr);
  }
  EXPECT_EQ(find_op("no_such_op"), nullptr);
}

TEST(OpTable, IsDocumented) {
  std::ifstream file(std::string(HYALITE_SOURCE_DIR) + "/docs/ops.md");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  for (const OpSpec* op : all_ops()) {
    EXPECT_NE(text.find("`" + std::string(op->name) + "`"), std::string::npos) << op->name;
    for (const AttrSpec& attr : op->attrs) EXPECT_NE(text.find("`" + std::string(attr.name) + "`"), std::string::npos) << attr.name;
  }
}

TEST(OpTable, EveryOpButTheLeavesEvaluates) {
  for (const OpSpec* op : all_ops()) EXPECT_EQ(op->evaluate == nullptr, op->name == "weight" || op->name == "constant") << op->name;
}

TEST(Embed, LooksRowsUpInAnyFormat) {
  for (DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    const OpRun run = run_op("embed", {integers({2, 0, 2}), encoded(dtype, {3, 2}, {1, 2, 3, 4, 5, 6})});
    EXPECT_EQ(run.types[0], f32({Dim(3), Dim(2)}));
    expect_near(run.results[0], {5, 6, 1, 2, 5, 6});
  }
}

TEST(Embed, RefusesIdsOutsideTheTable) {
  for (int32_t id : {-1, 3}) EXPECT_THROW(run_op("embed", {integers({id}), floats({3, 2}, {1, 2, 3, 4, 5, 6})}), Error);
}

TEST(RmsNorm, NormalisesEachRun) {
  // Runs (3, 4) and (0, 2): root mean squares sqrt(12.5) and sqrt(2).
  const OpRun run = run_op("rms_norm", {floats({1, 4}, {3, 4, 0, 2}), floats({2}, {1, 10})}, {{"eps", 0.0}});
  expect_near(run.results[0], {3 / std::sqrt(12.5f), 40 / std::sqrt(12.5f), 0, 20 / std::sqrt(2.0f)});
}

TEST(RmsNorm, EpsKeepsZeroRowsFinite) {
  expect_near(run_op("rms_norm", {floats({1, 2}, {0, 0}), floats({2}, {1, 1})}, {{"eps", 1e-5}}).results[0], {0, 0});
}

TEST(Matmul, MultipliesByTheTransposedWeight) {
  const OpRun run = run_op("matmul", {floats({2, 3}, {1, 2, 3, 4, 5, 6}), floats({2, 3}, {1, 0, -1, 2, 2, 2})});
  expect_near(run.results[0], {-2, 12, -2, 30});
}

TEST(Matmul, ReadsBlockFormats) {
  std::vector<float> x(32), w(64);
  double expected[2] = {};
  for (int i = 0; i < 32; ++i) {
    x[i] = static_cast<float>(i % 5) - 2;
    for (int r = 0; r < 2; ++r) w[32 * r + i] = static_cast<float>((i * 7 + r) % 128) - 64;  // exact in q8_0 up to the rounded scale
    for (int r = 0; r < 2; ++r) expected[r] += static_cast<double>(x[i]) * w[32 * r + i];
  }
  const OpRun run = run_op("matmul", {floats({1, 32}, x), encoded(DType::q8_0, {2, 32}, w)});
  for (int r = 0; r < 2; ++r) EXPECT_NEAR(run.results[0][r], expected[r], 20) << r;
}

// A row's result must not depend on its company or on the number of threads (deterministic numerics).
TEST(Matmul, RowsAreBitIdenticalInAnyCompany) {
  constexpr int kRows = 21, kColumns = 200, kOutputs = 13;
  std::vector<float> x(kRows * kColumns), w(kOutputs * kColumns);
  for (size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<float>(i));
  for (size_t i = 0; i < w.size(); ++i) w[i] = std::cos(static_cast<float>(3 * i));
  const Operand weight = floats({kOutputs, kColumns}, w);
  const std::vector<float> all = run_op("matmul", {floats({kRows, kColumns}, x), weight}, {}, nullptr, nullptr, 3).results[0];
  for (int t = 0; t < kRows; ++t) {
    const std::vector<float> row(x.begin() + t * kColumns, x.begin() + (t + 1) * kColumns);
    const std::vector<float> alone = run_op("matmul", {floats({1, kColumns}, row), weight}).results[0];
    EXPECT_EQ(alone, std::vector<float>(all.begin() + t * kOutputs, all.begin() + (t + 1) * kOutputs));
    for (int r = 0; r < kOutputs; ++r) {
      double sum = 0;
      for (int c = 0; c < kColumns; ++c) sum += static_cast<double>(row[c]) * w[r * kColumns + c];
      EXPECT_NEAR(alone[r], sum, 1e-5);
    }
  }
}

TEST(Elementwise, AddAndMulTakeMatricesAndVectors) {
  const Operand x = floats({2, 2}, {1, 2, 3, 4});
  expect_near(run_op("add", {x, floats({2, 2}, {10, 20, 30, 40})}).results[0], {11, 22, 33, 44});
  expect_near(run_op("add", {x, encoded(DType::f16, {2}, {10, 20})}).results[0], {11, 22, 13, 24});
  expect_near(run_op("mul", {x, floats({2, 2}, {2, 3, 4, 5})}).results[0], {2, 6, 12, 20});
  expect_near(run_op("mul", {x, floats({2}, {2, 3})}, {}, nullptr, nullptr, 2).results[0], {2, 6, 6, 12});
}

TEST(Elementwise, UnaryFunctions) {
  const Operand x = floats({1, 3}, {-2, 0, 3});
  expect_near(run_op("scale", {x}, {{"factor", 0.5}}).results[0], {-1, 0, 1.5});
  expect_near(run_op("silu", {x}).results[0], {-0.23840584f, 0, 2.8577224f});
  expect_near(run_op("gelu_tanh", {x}).results[0], {-0.04540231f, 0, 2.9963627f});
  expect_near(run_op("softcap", {x}, {{"factor", 2.0}}).results[0], {-1.5231883f, 0, 1.8102967f});
}

TEST(RopeFrequencies, ArePowersOfTheta) {
  expect_near(run_op("rope_frequencies", {absent()}, {{"theta", 10000.0}, {"dims", int64_t{8}}}).results[0], {1, 0.1f, 0.01f, 0.001f});
}

TEST(RopeFrequencies, FactorsDivide) {
  const Attrs attrs{{"theta", 10000.0}, {"dims", int64_t{4}}, {"scaling", "linear"}, {"factor", 4.0}};
  expect_near(run_op("rope_frequencies", {floats({2}, {1, 2})}, attrs).results[0], {0.25f, 0.00125f});
}

TEST(RopeFrequencies, FactorsThatSpeedUpAreRefused) {
  const Attrs attrs{{"theta", 10000.0}, {"dims", int64_t{4}}};
  for (float factor : {1e-7f, -2.0f, 0.7f, INFINITY, NAN})
    EXPECT_THROW(run_op("rope_frequencies", {floats({2}, {1, factor})}, attrs), Error);
  EXPECT_EQ(infer_error("rope_frequencies", {ValueType::unknown()},
                        {{"theta", 1e4}, {"dims", int64_t{8}}, {"scaling", "linear"}, {"factor", 1e-7}}),
            "factor: must be 1 or more");
}

TEST(RopeFrequencies, Llama3KeepsShortWavesAndStretchesLongOnes) {
  const Attrs attrs{{"theta", 500000.0},
                    {"dims", int64_t{128}},
                    {"scaling", "llama3"},
                    {"factor", 8.0},
                    {"low_freq_factor", 1.0},
                    {"high_freq_factor", 4.0},
                    {"original_context", int64_t{8192}}};
  const std::vector<float> freqs = run_op("rope_frequencies", {absent()}, attrs).results[0];
  const auto plain = [](int i) { return std::pow(500000.0, -i / 64.0); };
  EXPECT_FLOAT_EQ(freqs[0], 1);
  EXPECT_FLOAT_EQ(freqs[20], static_cast<float>(plain(20)));                                         // wavelength 380, below 2048
  EXPECT_FLOAT_EQ(freqs[50], static_cast<float>(plain(50) / 8));                                     // wavelength 178,000, above 8192
  const double wavelength = 2 * std::numbers::pi / plain(30), smooth = (8192 / wavelength - 1) / 3;  // 2948
  EXPECT_FLOAT_EQ(freqs[30], static_cast<float>((1 - smooth) * plain(30) / 8 + smooth * plain(30)));
}

// gpt-oss: theta 150000, 64 dims, factor 32, original 4096: the correction range is 8.0928 to 17.3980, rounded to 8 and 18.
TEST(RopeFrequencies, YarnBlendsOverItsCorrectionRange) {
  Attrs attrs{{"theta", 150000.0}, {"dims", int64_t{64}}, {"scaling", "yarn"}, {"factor", 32.0}, {"original_context", int64_t{4096}}};
  const auto plain = [](int i) { return std::pow(150000.0, -i / 32.0); };
  const auto blended = [&](int i, double low, double high) {
    const double ramp = std::min(std::max((i - low) / (high - low), 0.0), 1.0);
    return static_cast<float>(plain(i) * (1 - ramp) + plain(i) / 32 * ramp);
  };
  std::vector<float> freqs = run_op("rope_frequencies", {absent()}, attrs).results[0];
  for (int i : {0, 8, 9, 13, 17, 18, 31}) EXPECT_FLOAT_EQ(freqs[i], blended(i, 8, 18)) << i;
  attrs.set("truncate", false);
  freqs = run_op("rope_frequencies", {absent()}, attrs).results[0];
  for (int i : {0, 8, 9, 13, 17, 18, 31}) EXPECT_NEAR(freqs[i] / blended(i, 8.0928, 17.3980), 1, 1e-4) << i;
}

TEST(Rope, TurnsHalvesOrPairs) {
  const Positions at({2});
  const float c = std::cos(1.0f), s = std::sin(1.0f), e = std::cos(0.2f), f = std::sin(0.2f);
  const std::vector<Operand> operands = {floats({1, 5}, {1, 2, 3, 4, 5}), floats({2}, {0.5f, 0.1f}), batch_operand()};
  expect_near(run_op("rope", operands, {{"head_dim", int64_t{5}}}, &at.batch).results[0],
              {c - 3 * s, 2 * e - 4 * f, s + 3 * c, 2 * f + 4 * e, 5});
  expect_near(run_op("rope", operands, {{"head_dim", int64_t{5}}, {"interleaved", true}, {"scale", 2.0}}, &at.batch).results[0],
              {2 * (c - 2 * s), 2 * (s + 2 * c), 2 * (3 * e - 4 * f), 2 * (3 * f + 4 * e), 5});
}

TEST(Rope, EachHeadAtItsTokensPosition) {
  const Positions at({0, 1});
  const OpRun run = run_op("rope", {floats({2, 4}, {1, 0, 0, 1, 1, 0, 0, 1}), floats({1}, {1}), batch_operand()},
                           {{"head_dim", int64_t{2}}}, &at.batch, nullptr, 2);
  const float c = std::cos(1.0f), s = std::sin(1.0f);
  expect_near(run.results[0], {1, 0, 0, 1, c, s, -s, c});
}

TEST(SelectRows, PicksRowsWithLogits) {
  const Positions at({0, 1, 2}, {0, 2});
  const OpRun run = run_op("select_rows", {floats({3, 2}, {1, 2, 3, 4, 5, 6}), batch_operand()}, {}, &at.batch);
  EXPECT_EQ(run.types[0], f32({Dim::logits_rows(), Dim(2)}));
  expect_near(run.results[0], {1, 2, 5, 6});
}

TEST(Convert, RoundTripsThroughEveryFormatItWrites) {
  std::vector<float> values(32);
  for (int i = 0; i < 32; ++i) values[i] = static_cast<float>(i - 16) / 16;
  for (const char* to : {"f32", "f16", "bf16", "q8_0"}) {
    Operand w = floats({1, 32}, values);
    const Attrs attrs{{"to", std::string(to)}};
    const OpSpec& op = *find_op("convert");
    const ValueType type = op.infer({.operands = {&w.type, 1}, .attrs = &attrs})[0];
    std::vector<uint8_t> bytes(bytes_of(type.tensor, {}));
    const TensorView in = view_of(w.type.tensor, w.bytes.data()), out = view_of(type.tensor, bytes.data());
    op.evaluate({.inputs = &in, .outputs = &out}, {});
    std::vector<float> back(32);
    const FormatSpec& format = format_of(type.tensor.dtype);
    format.decode(bytes.data(), 32 / format.block_elements, back.data());
    expect_near(back, values, 0.005f);
  }
}

TEST(FusedQkv, IsThreeMatmulsWithBiases) {
  const OpRun run = run_op("fused_qkv", {floats({1, 2}, {1, 2}), floats({2, 2}, {1, 0, 0, 1}), floats({1, 2}, {1, 1}),
                                         floats({1, 2}, {2, 3}), floats({2}, {10, 20}), absent(), floats({1}, {-1})});
  expect_near(run.results[0], {11, 22});
  expect_near(run.results[1], {3});
  expect_near(run.results[2], {7});
}

TEST(FusedGlu, GatesWithEitherActivation) {
  const std::vector<Operand> operands = {floats({1, 1}, {1}), floats({3, 1}, {-2, 0, 3}), floats({3, 1}, {1, 1, 2})};
  expect_near(run_op("fused_glu", operands, {{"activation", "silu"}}).results[0], {-0.23840584f, 0, 2 * 2.8577224f});
  expect_near(run_op("fused_glu", operands, {{"activation", "gelu_tanh"}}, nullptr, nullptr, 2).results[0],
              {-0.04540231f, 0, 2 * 2.9963627f});
}

TEST(FusedResidualRmsnorm, AddsThenNormalises) {
  const Operand x = floats({1, 2}, {1, 1}), y = floats({1, 2}, {2, 3}), ones = floats({2}, {1, 1});
  OpRun run = run_op("fused_residual_rmsnorm", {x, y, absent(), ones}, {{"eps", 0.0}});
  expect_near(run.results[0], {3, 4});
  expect_near(run.results[1], {3 / std::sqrt(12.5f), 4 / std::sqrt(12.5f)});
  run = run_op("fused_residual_rmsnorm", {x, y, floats({2}, {10, 10}), ones}, {{"eps", 0.0}});
  const float a = 1 + 20 / std::sqrt(6.5f), b = 1 + 30 / std::sqrt(6.5f), root = std::sqrt((a * a + b * b) / 2);
  expect_near(run.results[0], {a, b}, 1e-5f);
  expect_near(run.results[1], {a / root, b / root});
}

TEST(TypeRules, SayWhatWasExpected) {
  const Dim T = Dim::tokens();
  EXPECT_EQ(infer_error("matmul", {f32({T, Dim(4)}), f32({Dim(3), Dim(5)})}), "w: must be a matrix with 4 columns, is tensor<3 x 5 x f32>");
  EXPECT_EQ(infer_error("matmul", {f32({T}), f32({Dim(3), Dim(5)})}), "x: must be an f32 matrix with constant columns, is tensor<T x f32>");
  EXPECT_EQ(infer_error("matmul", {ValueType::unknown(), f32({Dim(3), Dim(5)})}), "x: has no known type");
  EXPECT_EQ(infer_error("matmul", {f32({T, Dim(4)}), f32({Dim(3), Dim(4)})}, {{"activations", "q4"}}),
            "activations: must be one of \"f32\", \"q8\", \"bf16\", is \"q4\"");
  EXPECT_EQ(infer_error("select_rows", {f32({Dim::logits_rows(), Dim(4)}), ValueType::batch()}),
            "x: must have a row for each of the T tokens, is tensor<L x 4 x f32>");
  EXPECT_EQ(infer_error("rms_norm", {f32({T, Dim(4)}), f32({Dim(3)})}, {{"eps", 0.0}}),
            "w: must be a vector whose length divides the 4 columns, is tensor<3 x f32>");
  EXPECT_EQ(infer_error("add", {f32({T, Dim(4)}), f32({Dim(3)})}),
            "y: must be like x or a vector of its columns, is tensor<3 x f32> beside tensor<T x 4 x f32>");
  EXPECT_EQ(infer_error("embed", {f32({T}), f32({Dim(3), Dim(4)})}), "ids: must be an i32 vector, is tensor<T x f32>");
  EXPECT_EQ(infer_error("convert", {f32({Dim(3), Dim(4)})}, {{"to", "q8_k"}}), "to: must be a format that can be written, is \"q8_k\"");
  EXPECT_EQ(infer_error("convert", {f32({Dim(3), Dim(4)})}, {{"to", "q8_0"}}),
            "to: columns of tensor<3 x 4 x q8_0> must be a multiple of 32");
  EXPECT_EQ(infer_error("rope_frequencies", {ValueType::unknown()}, {{"theta", 1e4}, {"dims", int64_t{7}}}),
            "dims: must be even and at most 65536, is 7");
}

TEST(Cost, CountsFlopsAndBytes) {
  const std::vector<ValueType> operands = {f32({Dim::tokens(), Dim(64)}), ValueType::of({DType::q8_0, {Dim(10), Dim(64)}})};
  const std::vector<ValueType> results = {f32({Dim::tokens(), Dim(10)})};
  const Cost cost = cost_of(*find_op("matmul"), {.operands = operands, .results = results, .symbols = {.tokens = 5}});
  EXPECT_EQ(cost.flops, 2.0 * 5 * 64 * 10);
  EXPECT_EQ(cost.bytes, 5 * 64 * 4 + 10 * 68 + 5 * 10 * 4);
  const Cost silu =
      cost_of(*find_op("silu"), {.operands = {operands.data(), 1}, .results = {operands.data(), 1}, .symbols = {.tokens = 2}});
  EXPECT_EQ(silu.flops, 0);
  EXPECT_EQ(silu.bytes, 2 * 2 * 64 * 4);
}

}  // namespace
}  // namespace hyalite
