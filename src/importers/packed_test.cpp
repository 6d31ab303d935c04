#include <gtest/gtest.h>

#include "base/tokenizer_spec_json.h"
#include "importers/hf_config.h"
#include "importers/importer.h"
#include "importers/packed_config.h"
#include "importers/testing/refusal.h"
#include "importers/testing/safetensors_writer.h"

namespace hyalite {
namespace {

using testing::refusal_of;
using testing::SafetensorsWriter;

// A llama of one layer whose sizes are multiples of 32; values are 0.25 but in attn_q (int8) and ffn_up (int4).
class Checkpoint {
 public:
  Checkpoint() {
    Json hf = testing::tiny_llama_config();
    hf["hidden_size"] = 64, hf["intermediate_size"] = 96, hf["num_attention_heads"] = 2, hf["num_key_value_heads"] = 1;
    model = config_from_json(hf, "config.json");
    config = packed_config_to_json(model, {{"type", "int4"}});
    for (const TensorSpec& spec : tensor_specs(model))
      if (spec.name != "blk.0.attn_q" && spec.name != "blk.0.ffn_up") weights.add_f32(packed_name(spec.name), spec.dims);
    add_int8();
    add_int4();
  }

  void add_int8() {
    weights.add("blk.0.attn_q.weight", "U8", {64, 64}, std::string(64 * 64, '\x90'));
    weights.add("blk.0.attn_q.weight_zero_point", "U8", {64}, std::string(64, '\x80'));
    std::string scales;
    for (int row = 0; row < 64; ++row) scales += testing::little_endian(0.5f * static_cast<float>(row));
    weights.add("blk.0.attn_q.weight_scale", "F32", {64}, scales);
  }
  void add_int4() {
    weights.add("blk.0.ffn_up.weight", "U8", {96, 32}, std::string(96 * 32, '\x71'));
    weights.add("blk.0.ffn_up.weight_zero_point", "U8", {96, 2}, std::string(96 * 2, '\x05'));
    std::string scales;
    for (int row = 0; row < 96; ++row) scales += std::string("\x00\x3c\x00\x40", 4);  // 1, 2
    weights.add("blk.0.ffn_up.weight_scale", "F16", {96, 2}, scales);
  }

  ImportedModel import() const {
    const testing::TemporaryDirectory directory;
    directory.write("config.json", config.dump());
    directory.write("tokenizer.json", tokenizer_spec_to_json(tokenizer).dump());
    directory.write("model.safetensors", weights.bytes());
    return import_model(directory.path());
  }

  ModelConfig model;
  Json config;
  TokenizerSpec tokenizer{.pieces = {"a"}, .kinds = {TokenKind::normal}};
  SafetensorsWriter weights;
};

void expect_refused(const Checkpoint& checkpoint, const std::string& what) {
  const std::string said = refusal_of([&] { checkpoint.import(); });
  EXPECT_NE(said.find(what), std::string::npos) << said;
}

TEST(Packed, PutsCodesScalesAndZeroPointsTogether) {
  const ImportedModel model = Checkpoint().import();
  EXPECT_EQ(model.format, "packed");
  const TensorView eight = model.weights.view("blk.0.attn_q"), four = model.weights.view("blk.0.ffn_up");
  ASSERT_EQ(eight.dtype, DType::int8);
  ASSERT_EQ(four.dtype, DType::int4_g32);
  float values[64];
  format_of(eight.dtype).decode(eight.row(3), 2, values);
  for (float value : values) EXPECT_EQ(value, 1.5f * 16);
  format_of(four.dtype).decode(four.row(95), 2, values);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(values[i], static_cast<float>((i % 2 ? 2 : -4) * (i < 32 ? 1 : 2))) << i;
  EXPECT_EQ(model.weights.view("blk.0.ffn_down").as<float>()[0], 0.25f);
}

TEST(Packed, NamesTheFileOfItsTokenizer) {
  const TokenizerSpec tokenizer = Checkpoint().import().tokenizer;
  EXPECT_TRUE(tokenizer.file.ends_with("tokenizer.json")) << tokenizer.file;
  EXPECT_EQ(tokenizer.template_file, tokenizer.file);
}

TEST(Packed, TellsOfTokensWithoutAnEmbeddingAndOfTensorsWithoutAUse) {
  Checkpoint checkpoint;
  EXPECT_TRUE(checkpoint.import().remarks.empty());
  for (int64_t id = 1; id <= checkpoint.model.vocab; ++id) checkpoint.tokenizer.pieces.push_back("a");
  checkpoint.tokenizer.kinds.resize(checkpoint.tokenizer.pieces.size());
  checkpoint.weights.add_f32("extra.thing", {3});
  const std::vector<std::string> remarks = checkpoint.import().remarks;
  ASSERT_EQ(remarks.size(), 2u);
  EXPECT_NE(remarks[0].find(std::to_string(checkpoint.model.vocab + 1) + " tokens"), std::string::npos) << remarks[0];
  EXPECT_NE(remarks[1].find("extra.thing"), std::string::npos) << remarks[1];
}

TEST(Packed, RefusesPartsThatDoNotFit) {
  const std::string q = "blk.0.attn_q.weight", up = "blk.0.ffn_up.weight";
  auto with = [](auto change) {
    Checkpoint checkpoint;
    change(checkpoint.weights);
    return checkpoint;
  };
  expect_refused(with([&](SafetensorsWriter& w) { w.drop(q + "_zero_point"); }), "attn_q.weight_zero_point: is missing");
  expect_refused(with([&](SafetensorsWriter& w) { w.drop(up + "_scale"); }), "ffn_up.weight_scale: is missing");
  expect_refused(with([&](SafetensorsWriter& w) { w.header()[q + "_scale"]["dtype"] = "I32"; }), "expected f32 of shape [64]");
  expect_refused(with([&](SafetensorsWriter& w) { w.header()[up + "_scale"]["shape"] = {192}; }), "32, 64 or 128 columns");
  expect_refused(with([&](SafetensorsWriter& w) { w.header()[up]["shape"] = {48, 64}; }), "hold no [96, 64]");
  expect_refused(with([&](SafetensorsWriter& w) { w.header()["output_norm.weight"]["dtype"] = "I32"; }),
                 "expected F32, F16, BF16 or packed codes");
}

TEST(Packed, RefusesAConfigThatIsNotWhole) {
  auto with = [](auto change) {
    Checkpoint checkpoint;
    change(checkpoint.config);
    return checkpoint;
  };
  expect_refused(with([](Json& c) { c["format_version"] = kPackedVersion - 1; }), "has format version 1, this build reads 2");
  expect_refused(with([](Json& c) { c["model"].erase("vocab"); }), "has no field vocab");
  expect_refused(with([](Json& c) { c["model"]["rope"]["scaling"] = "spiral"; }), "spiral");
  expect_refused(with([](Json& c) { c["model"]["heads"] = 0; }), "config.json: model");
  expect_refused(with([](Json& c) { c["model"]["layers"] = -1; }), "config.json: model");
}

TEST(Packed, ConfigsSurviveTheJourney) {
  const Checkpoint checkpoint;
  ModelConfig config = checkpoint.model;
  config.sliding_window = 7, config.sliding_layers = {true}, config.activation = Activation::gelu_tanh;
  config.rope.scaling = RopeScaling::yarn, config.rope.original_context = 32, config.rope.factor = 4.125, config.rope.interleaved = true;
  const ModelConfig back = packed_config_from_json(packed_config_to_json(config, {}), "config.json");
  EXPECT_EQ(back.sliding_layers, config.sliding_layers);
  EXPECT_EQ(back.activation, Activation::gelu_tanh);
  EXPECT_EQ(back.rope.scaling, RopeScaling::yarn);
  EXPECT_EQ(back.rope.factor, 4.125);
  EXPECT_TRUE(back.rope.interleaved);
  EXPECT_FALSE(back.local_rope.interleaved);
  EXPECT_EQ(back.norm_eps, config.norm_eps);
}

}  // namespace
}  // namespace hyalite
