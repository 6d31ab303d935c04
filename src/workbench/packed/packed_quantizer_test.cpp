#include "workbench/packed/packed_quantizer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "base/error.h"
#include "base/tokenizer_spec_json.h"
#include "importers/testing/files.h"
#include "importers/testing/refusal.h"
#include "ir/evaluation_case.h"
#include "models/config_json.h"
#include "models/model_builder.h"
#include "ops/reference.h"
#include "workbench/packed/awq.h"
#include "workbench/packed/packed_checkpoint.h"
#include "workbench/tiny_model.h"

namespace hyalite {
namespace {

class Packed : public ::testing::Test {
 protected:
  // 160: a multiple of 32, not of 64.
  ImportedModel tiny(std::string_view family, int intermediate = 160) {
    Json config = tiny_config(family);
    config["intermediate_size"] = intermediate;
    write_tiny_model(place_.path() / "tiny", config, 5);
    return import_model(place_.path() / "tiny");
  }

  testing::TemporaryDirectory place_;
  ThreadPool pool_{2};
};

std::vector<float> floats_of(const TensorView& view) {
  std::vector<float> all, scratch;
  for (int64_t r = 0; r < view.rows(); ++r) {
    const float* row = row_as_floats(view, r, scratch);
    all.insert(all.end(), row, row + view.columns());
  }
  return all;
}

// Every matrix meets columns of which each sixteenth is twenty times as large.
ActivationStatistics uneven_activations(const ImportedModel& model) {
  ActivationStatistics all;
  for (const TensorSpec& spec : tensor_specs(model.config)) {
    if (spec.dims.size() != 2) continue;
    ColumnStatistics& one = all[spec.name];
    one.rows = 100;
    for (int64_t c = 0; c < spec.dims[1]; ++c) {
      const double size = c % 16 == 3 ? 20 : 1 + 0.01 * static_cast<double>(c % 7);
      one.mean_magnitude.push_back(size);
      one.mean_square.push_back(1.5 * size * size);
    }
  }
  return all;
}

std::vector<float> logits_of(const ImportedModel& model) {
  const Module module = build_model(model.config, model.weights);
  const EvaluationCase step = EvaluationCase::prefill(module.graphs[0]);
  const auto outputs = evaluate(module.graphs[0], model.weights, step.inputs());
  return {outputs[0].floats().begin(), outputs[0].floats().end()};
}

double distance(const std::vector<float>& a, const std::vector<float>& b) {
  double off = 0, all = 0;
  for (size_t i = 0; i < a.size(); ++i) off += std::pow(double{a[i]} - b[i], 2), all += std::pow(double{a[i]}, 2);
  return std::sqrt(off / all);
}

TEST_F(Packed, NamesOfTypesGoBothWays) {
  for (PackedType type : {PackedType::int8, PackedType::int4, PackedType::int4_awq}) EXPECT_EQ(packed_type_named(name_of(type)), type);
  EXPECT_FALSE(packed_type_named("int3"));
}

TEST_F(Packed, EveryMatrixIsRoundedAndEveryVectorStays) {
  for (std::string_view family : tiny_families())
    for (PackedType type : {PackedType::int8, PackedType::int4}) {
      const ImportedModel before = tiny(family);
      ImportedModel after = tiny(family);
      const PackedReport report = quantize_packed(after, {.type = type, .group = 32}, pool_);
      size_t matrices = 0;
      for (const TensorSpec& spec : tensor_specs(before.config)) {
        const TensorView was = before.weights.view(spec.name), is = after.weights.view(spec.name);
        const bool eight = type == PackedType::int8 || spec.name == "token_embd" || spec.name == "output";
        const double error = distance(floats_of(was), floats_of(is));
        if (spec.dims.size() == 1) {
          EXPECT_EQ(error, 0) << spec.name;
          continue;
        }
        EXPECT_EQ(is.dtype, eight ? DType::int8 : DType::int4_g32) << spec.name;
        EXPECT_LT(error, eight ? 0.012 : 0.12) << spec.name;
        EXPECT_NEAR(report.tensors.at(matrices).error, error, 1e-6);
        EXPECT_EQ(report.tensors.at(matrices++).name, spec.name);
      }
      EXPECT_EQ(report.tensors.size(), matrices);
      EXPECT_LT(report.bytes_after, report.bytes_before / 3);
      EXPECT_LT(distance(logits_of(before), logits_of(after)), type == PackedType::int8 ? 0.1 : 1) << family;
    }
}

TEST_F(Packed, ACheckpointGivesBackTheModel) {
  for (std::string_view family : tiny_families())
    for (PackedType type : {PackedType::int8, PackedType::int4}) {
      ImportedModel model = tiny(family);
      const PackedOptions options{.type = type, .group = 64};
      quantize_packed(model, options, pool_);
      write_packed_checkpoint(model, options, place_.path() / "packed");
      const ImportedModel back = import_model(place_.path() / "packed");
      EXPECT_EQ(back.format, "packed");
      EXPECT_EQ(config_to_json(back.config), config_to_json(model.config));
      EXPECT_EQ(tokenizer_spec_to_json(back.tokenizer), tokenizer_spec_to_json(model.tokenizer));
      EXPECT_TRUE(back.remarks.empty()) << back.remarks.at(0);
      for (const TensorSpec& spec : tensor_specs(model.config)) {
        const TensorView was = model.weights.view(spec.name), is = back.weights.view(spec.name);
        ASSERT_EQ(is.dtype, was.dtype) << spec.name;
        EXPECT_EQ(std::memcmp(is.data, was.data, was.bytes()), 0) << spec.name;
      }
    }
}

TEST_F(Packed, SaysWhereAGroupIsSmallerThanAsked) {
  ImportedModel model = tiny("llama");  // 64 columns
  quantize_packed(model, {.type = PackedType::int4}, pool_);
  EXPECT_EQ(model.weights.at("blk.0.attn_q").type.dtype, DType::int4_g64);
  EXPECT_EQ(model.weights.at("blk.0.ffn_down").type.dtype, DType::int4_g32);
  EXPECT_EQ(model.remarks, (std::vector<std::string>{"blk.0.ffn_down and 2 more: groups of 32, 160 columns are no multiple of 128",
                                                     "blk.0.attn_q and 17 more: groups of 64, 64 columns are no multiple of 128"}));
}

TEST_F(Packed, LeavesRowsThatAreNoMultipleOf32) {
  for (PackedType type : {PackedType::int8, PackedType::int4_awq}) {
    ImportedModel model = tiny("llama", 144);
    const ActivationStatistics activations = uneven_activations(model);
    const std::vector<float> before = floats_of(model.weights.view("blk.1.ffn_down"));
    const PackedOptions options{.type = type, .group = 32, .activations = &activations};
    quantize_packed(model, options, pool_);
    EXPECT_EQ(model.weights.at("blk.1.ffn_down").type.dtype, DType::f32);
    EXPECT_EQ(floats_of(model.weights.view("blk.1.ffn_down")), before);
    EXPECT_EQ(model.remarks, (std::vector<std::string>{"blk.0.ffn_down and 2 more: stays f32, 144 columns are no multiple of 32"}));
    write_packed_checkpoint(model, options, place_.path() / "packed");
    EXPECT_EQ(floats_of(import_model(place_.path() / "packed").weights.view("blk.1.ffn_down")), before);
  }
}

TEST_F(Packed, RefusesWhatItCannotRound) {
  ImportedModel model = tiny("llama");
  WeightStore store;
  for (const auto& [name, one] : model.weights.entries()) {
    std::vector<uint8_t> bytes(one.data, one.data + bytes_of(one.type, {}));
    const float bad = std::numeric_limits<float>::infinity();
    if (name == "blk.1.ffn_up") std::memcpy(bytes.data() + 400, &bad, 4);
    store.add_owned(name, one.type, one.source, std::move(bytes));
  }
  model.weights = std::move(store);
  const std::string said = testing::refusal_of([&] { quantize_packed(model, {.type = PackedType::int8}, pool_); });
  EXPECT_NE(said.find("mlp.up_proj"), std::string::npos) << said;
  EXPECT_NE(said.find("not finite"), std::string::npos) << said;
  EXPECT_THROW(quantize_packed(model, {.type = PackedType::int4, .group = 48}, pool_), Error);
  EXPECT_THROW(quantize_packed(model, {.type = PackedType::int4_awq}, pool_), Error);
}

// The scales alone, without rounding, must leave what the model computes.
TEST_F(Packed, AwqScalesCancelOut) {
  for (std::string_view family : tiny_families()) {
    ImportedModel model = tiny(family);
    const std::vector<float> before = logits_of(model);
    std::map<std::string, DType> formats;
    for (const TensorSpec& spec : tensor_specs(model.config))
      if (spec.dims.size() == 2) formats[spec.name] = DType::int4_g32;
    const ScalesByTensor scales = search_awq(model, formats, uneven_activations(model), pool_);
    WeightStore store;
    double moved = 0;
    for (const auto& [name, entry] : model.weights.entries()) {
      std::vector<float> values = floats_of(model.weights.view(name));
      const int64_t columns = entry.type.dims.back().value();
      if (const auto by = scales.find(name); by != scales.end())
        for (size_t i = 0; i < values.size(); ++i) {
          const size_t row = entry.type.rank() == 1 ? i : i / columns;
          const float factor =
              (by->second.rows.empty() ? 1 : by->second.rows[row]) * (by->second.columns.empty() ? 1 : by->second.columns[i % columns]);
          moved = std::max(moved, std::abs(std::log2(double{factor})));
          values[i] *= factor;
        }
      const auto* bytes = reinterpret_cast<const uint8_t*>(values.data());
      store.add_owned(name, {DType::f32, entry.type.dims}, entry.source, {bytes, bytes + values.size() * 4});
    }
    model.weights = std::move(store);
    EXPECT_GT(moved, 0.3) << family << ": nothing was scaled";
    EXPECT_LT(distance(before, logits_of(model)), 1e-4) << family;
  }
}

TEST_F(Packed, AwqKeepsTheColumnsThatMatter) {
  const ImportedModel before = tiny("llama");
  const ActivationStatistics activations = uneven_activations(before);
  auto output_error = [&](PackedType type, int threads) {
    ThreadPool pool(threads);
    ImportedModel model = tiny("llama");
    quantize_packed(model, {.type = type, .group = 32, .activations = &activations}, pool);
    // q follows the norm, whose elements were divided by what its columns were multiplied with.
    const auto was = floats_of(before.weights.view("blk.0.attn_q")), is = floats_of(model.weights.view("blk.0.attn_q"));
    const auto norm = floats_of(before.weights.view("blk.0.attn_norm")), scaled = floats_of(model.weights.view("blk.0.attn_norm"));
    const std::vector<double>& squares = activations.at("blk.0.attn_q").mean_square;
    double loss = 0;
    for (size_t i = 0; i < was.size(); ++i) {
      const size_t c = i % squares.size();
      loss += squares[c] * std::pow(was[i] - is[i] * scaled[c] / norm[c], 2);
    }
    return loss;
  };
  EXPECT_LT(output_error(PackedType::int4_awq, 1), 0.5 * output_error(PackedType::int4, 1));
  EXPECT_EQ(output_error(PackedType::int4_awq, 1), output_error(PackedType::int4_awq, 2));
}

TEST_F(Packed, NamesTheMatrixThatActivationsLack) {
  ImportedModel model = tiny("llama");
  ActivationStatistics activations = uneven_activations(model);
  activations.erase("blk.0.ffn_down");
  try {
    quantize_packed(model, {.type = PackedType::int4_awq, .activations = &activations}, pool_);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("blk.0.ffn_down"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace hyalite
