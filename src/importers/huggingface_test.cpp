#include <gtest/gtest.h>
#include <unistd.h>

#include <set>

#include "importers/importer.h"
#include "importers/testing/npz_writer.h"
#include "importers/testing/refusal.h"
#include "importers/testing/safetensors_writer.h"
#include "importers/weight_files.h"
#include "tensor/half.h"

namespace hyalite {
namespace {

using testing::little_endian;
using testing::SafetensorsWriter;
using testing::TemporaryDirectory;
using testing::tiny_llama_config;
using testing::tiny_llama_weights;
using testing::write_hf_directory;

const std::string kDown = "model.layers.0.mlp.down_proj.weight";

ImportedModel import_weights(const Json& config, const std::string& bytes, const char* file = "model.safetensors") {
  const TemporaryDirectory directory;
  write_hf_directory(directory, config);
  directory.write(file, bytes);
  return import_model(directory.path());
}

std::string refusal(const Json& config, const SafetensorsWriter& weights) {
  return testing::refusal_of([&] { import_weights(config, weights.bytes()); });
}

float first(const ImportedModel& model, const char* name) {
  return model.weights.view(name).as<float>()[0];
}

TEST(HuggingFace, ImportsALlama) {
  const ImportedModel model = import_weights(tiny_llama_config(), tiny_llama_weights().bytes());
  EXPECT_EQ(model.format, "huggingface");
  EXPECT_EQ(model.weights.entries().size(), tensor_specs(model.config).size());
  EXPECT_EQ(model.weights.at("blk.0.ffn_down").source.tensor, kDown);
  EXPECT_EQ(model.weights.view("blk.0.ffn_down").columns(), 24);
  EXPECT_EQ(model.tokenizer.pieces.size(), 8u);
  EXPECT_TRUE(model.remarks.empty());
}

TEST(HuggingFace, TakesAnswerEndsFromConfig) {
  auto ends = [](const char* eos) {
    Json config = tiny_llama_config();
    config["eos_token_id"] = Json::parse(eos);
    return import_weights(config, tiny_llama_weights().bytes()).tokenizer.end_of_generation;
  };
  EXPECT_EQ(ends("3"), (std::vector<int32_t>{3}));
  EXPECT_EQ(ends("[5, 4, 5]"), (std::vector<int32_t>{4, 5}));
  EXPECT_TRUE(ends("null").empty());
  for (const char* wrong : {"\"x\"", "8", "99999", "-1", "[3, 8]", "18446744073709551615"}) {
    const std::string message = testing::refusal_of([&] { ends(wrong); });
    EXPECT_NE(message.find("config.json: eos_token_id"), std::string::npos) << wrong << ": " << message;
  }
}

// Imports a model of 8 rows whose tokenizer.json is changed.
template <class Change>
ImportedModel import_with_tokenizer(const Change& change) {
  const TemporaryDirectory directory;
  write_hf_directory(directory, tiny_llama_config());
  Json tokenizer = Json::parse(testing::tiny_tokenizer_json());
  change(tokenizer);
  directory.write("tokenizer.json", tokenizer.dump());
  directory.write("model.safetensors", tiny_llama_weights().bytes());
  return import_model(directory.path());
}

TEST(HuggingFace, DisablesAddedTokensWithoutAnEmbedding) {
  const ImportedModel model = import_with_tokenizer([](Json& t) {
    t["added_tokens"] = Json::parse(R"([{"id": 7, "content": "h", "special": true}, {"id": 8, "content": "<image>", "special": true}])");
  });
  ASSERT_EQ(model.remarks.size(), 1u);
  EXPECT_NE(model.remarks[0].find("9 tokens"), std::string::npos);
  EXPECT_EQ(model.tokenizer.kinds[7], TokenKind::control);
  EXPECT_EQ(model.tokenizer.kinds[8], TokenKind::unused);
}

TEST(HuggingFace, RefusesPiecesAndTemplatesWithoutAnEmbedding) {
  const auto message = [](auto change) { return testing::refusal_of([&] { import_with_tokenizer(change); }); };
  const std::string piece = message([](Json& t) { t["model"]["vocab"]["i"] = 8; });
  EXPECT_NE(piece.find("tokenizer.json: model.vocab: \"i\" has id 8"), std::string::npos) << piece;
  const std::string around = message([](Json& t) {
    t["added_tokens"] = Json::parse(R"([{"id": 8, "content": "<s>", "special": true}])");
    t["post_processor"] = Json::parse(R"({"type": "RobertaProcessing", "cls": ["<s>", 8], "sep": ["h", 7]})");
  });
  EXPECT_NE(around.find("tokenizer.json: post_processor: puts id 8"), std::string::npos) << around;
}

TEST(HuggingFace, ImportsNpz) {
  testing::ZipWriter zip;
  const auto weights = tiny_llama_weights();
  for (const auto& [name, row] : weights.header().items()) {
    if (name == "__metadata__") continue;
    std::string shape = "(";
    int64_t count = 1;
    for (const auto& dim : row["shape"]) shape += dim.dump() + ",", count *= dim.get<int64_t>();
    zip.add(name + ".npy", testing::npy_bytes("<f2", shape + ")", std::string(static_cast<size_t>(2 * count), '\x3c')));
  }
  const ImportedModel model = import_weights(tiny_llama_config(), zip.bytes(), "model.npz");
  EXPECT_EQ(model.weights.at("blk.0.ffn_down").type.dtype, DType::f16);
  EXPECT_EQ(model.weights.at("output_norm").type.dtype, DType::f32);  // vectors arrive as fp32
  EXPECT_EQ(first(model, "output_norm"), half_to_float(0x3c3c));
}

TEST(HuggingFace, RefusesWeightsThatAreMissingOrMisshapen) {
  auto weights = tiny_llama_weights();
  weights.drop(kDown);
  EXPECT_NE(refusal(tiny_llama_config(), weights).find(kDown + ": is missing"), std::string::npos);
  weights = tiny_llama_weights();
  weights.header()[kDown]["shape"] = {24, 16};
  const std::string message = refusal(tiny_llama_config(), weights);
  EXPECT_NE(message.find("model.safetensors: tensor " + kDown), std::string::npos) << message;
  EXPECT_NE(message.find("[24, 16]"), std::string::npos) << message;
  weights = tiny_llama_weights();
  weights.header()[kDown]["dtype"] = "I32";
  EXPECT_NE(refusal(tiny_llama_config(), weights).find(kDown), std::string::npos);
  Json tied = tiny_llama_config();
  weights = tiny_llama_weights();
  weights.drop("lm_head.weight");
  EXPECT_NE(refusal(tied, weights).find("lm_head.weight"), std::string::npos);
  tied["tie_word_embeddings"] = true;
  EXPECT_EQ(refusal(tied, weights), "");
}

// transformers 5.23 does not tie what differs.
TEST(HuggingFace, UsesAHeadThatDiffersFromTheEmbeddingItIsTiedTo) {
  Json config = tiny_llama_config();
  config["tie_word_embeddings"] = true;
  const ImportedModel same = import_weights(config, tiny_llama_weights().bytes());
  EXPECT_TRUE(same.config.tied_embeddings);
  EXPECT_TRUE(same.remarks.empty());
  auto weights = tiny_llama_weights();
  weights.drop("lm_head.weight").add_f32("lm_head.weight", {8, 16}, 0.5f);
  const ImportedModel other = import_weights(config, weights.bytes());
  EXPECT_FALSE(other.config.tied_embeddings);
  EXPECT_EQ(first(other, "output"), 0.5f);
  ASSERT_EQ(other.remarks.size(), 1u);
  EXPECT_NE(other.remarks[0].find("lm_head.weight differs"), std::string::npos) << other.remarks[0];
}

TEST(HuggingFace, TellsWhatItIgnoresAndRefusesForeignTensorsOfLayers) {
  auto weights = tiny_llama_weights();
  weights.add_f32("model.layers.0.self_attn.rotary_emb.inv_freq", {2}).add_f32("extra.thing", {1});
  const ImportedModel model = import_weights(tiny_llama_config(), weights.bytes());
  ASSERT_EQ(model.remarks.size(), 1u);
  EXPECT_NE(model.remarks[0].find("extra.thing"), std::string::npos);
  EXPECT_EQ(model.remarks[0].find("inv_freq"), std::string::npos);
  for (const char* name : {"self_attn.o_proj.bias", "self_attn.q_norm.weight", "mlp.gate_proj.lora_A"}) {
    auto foreign = tiny_llama_weights();
    foreign.add_f32(std::string("model.layers.0.") + name, {16});
    EXPECT_NE(refusal(tiny_llama_config(), foreign).find(name), std::string::npos) << name;
  }
}

TEST(HuggingFace, AttentionBiasIsOneOfFourProjections) {
  Json config = tiny_llama_config();
  config["attention_bias"] = true;
  auto weights = tiny_llama_weights();
  const std::string attention = "model.layers.0.self_attn.";
  weights.add_f32(attention + "q_proj.bias", {16}).add_f32(attention + "k_proj.bias", {8}).add_f32(attention + "v_proj.bias", {8});
  EXPECT_NE(refusal(config, weights).find("o_proj.bias: is missing"), std::string::npos);
  weights.add_f32(attention + "o_proj.bias", {16}, 0.5f);
  EXPECT_EQ(first(import_weights(config, weights.bytes()), "blk.0.attn_output.bias"), 0.5f);
}

TEST(HuggingFace, AddsOneToGemmaNorms) {
  Json config = tiny_llama_config();
  config["model_type"] = "gemma3_text";
  config.erase("architectures");
  config["head_dim"] = 4;
  for (const char* field : {"hidden_act", "tie_word_embeddings"}) config.erase(field);
  auto weights = tiny_llama_weights();
  weights.drop("lm_head.weight");
  const std::string layer = "model.layers.0.";
  weights.add_f32(layer + "pre_feedforward_layernorm.weight", {16}, 0.5f).add_f32(layer + "post_feedforward_layernorm.weight", {16}, 0.75f);
  weights.add_f32(layer + "self_attn.q_norm.weight", {4}, 1)
      .add("model.layers.0.self_attn.k_norm.weight", "BF16", {4}, std::string(8, '\0'));
  const ImportedModel model = import_weights(config, weights.bytes());
  EXPECT_EQ(first(model, "blk.0.attn_norm"), 1.25f);
  EXPECT_EQ(first(model, "blk.0.post_attention_norm"), 1.25f);
  EXPECT_EQ(first(model, "blk.0.ffn_norm"), 1.5f);
  EXPECT_EQ(first(model, "blk.0.post_ffw_norm"), 1.75f);
  EXPECT_EQ(first(model, "blk.0.attn_q_norm"), 2);
  EXPECT_EQ(first(model, "blk.0.attn_k_norm"), 1);
  EXPECT_EQ(first(model, "token_embd"), 0.25f);
}

SafetensorsWriter with_fp8(const std::string& scale_name, const std::vector<int64_t>& scale_shape, const std::vector<float>& scales) {
  SafetensorsWriter w;
  const auto plain = tiny_llama_weights();
  for (const auto& [name, row] : plain.header().items())
    if (name != "__metadata__" && name != kDown) w.add_f32(name, row["shape"].get<std::vector<int64_t>>());
  std::string bytes;
  for (float scale : scales) bytes += little_endian(scale);
  w.add(kDown, "F8_E4M3", {16, 24}, std::string(16 * 24, '\x38'));  // 1.0
  if (!scale_name.empty()) w.add(kDown + scale_name, "F32", scale_shape, bytes);
  return w;
}

TEST(HuggingFace, AppliesFp8Scales) {
  Json config = tiny_llama_config();
  auto down = [&](const SafetensorsWriter& weights, int row, int column) {
    const ImportedModel model = import_weights(config, weights.bytes());
    EXPECT_EQ(model.remarks.size(), 1u);
    return model.weights.view("blk.0.ffn_down").as<float>()[row * 24 + column];
  };
  const auto blocks = with_fp8("_scale_inv", {2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(down(blocks, 0, 0), 1);
  EXPECT_EQ(down(blocks, 7, 23), 3);
  EXPECT_EQ(down(blocks, 8, 8), 5);
  EXPECT_EQ(down(with_fp8("_scale", {}, {0.5f}), 15, 23), 0.5f);
  config["quantization_config"] = Json::parse(R"({"quant_method": "fp8", "weight_block_size": [10, 20]})");
  const auto ragged = with_fp8("_scale_inv", {2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(down(ragged, 9, 19), 1);
  EXPECT_EQ(down(ragged, 10, 20), 4);
  EXPECT_NE(refusal(config, with_fp8("_scale_inv", {3, 2}, {1, 2, 3, 4, 5, 6})).find("_scale_inv"), std::string::npos);
  EXPECT_NE(refusal(config, with_fp8("_scale_inv", {0, 2}, {})).find("_scale_inv"), std::string::npos);
}

TEST(HuggingFace, RefusesFp8WithoutScalesUnlessTheCheckpointWasCast) {
  const auto bare = with_fp8("", {}, {});
  Json config = tiny_llama_config();
  EXPECT_NE(refusal(config, bare).find(kDown + ": has 8-bit floats, but no"), std::string::npos) << refusal(config, bare);
  config["torch_dtype"] = "bfloat16";
  EXPECT_NE(refusal(config, bare), "");
  for (const char* field : {"torch_dtype", "dtype"}) {
    Json cast = tiny_llama_config();
    cast[field] = "float8_e4m3fn";
    EXPECT_EQ(import_weights(cast, bare.bytes()).weights.at("blk.0.ffn_down").type.dtype, DType::f8_e4m3);
    cast[field] = "float8_e5m2";
    EXPECT_NE(refusal(cast, bare), "");
    cast["quantization_config"] = Json::parse(R"({"quant_method": "fp8", "weight_block_size": [128, 128]})");
    EXPECT_NE(refusal(cast, bare).find(kDown), std::string::npos);
  }
}

TEST(HuggingFace, ConvertsDoublesWithARemark) {
  auto weights = tiny_llama_weights();
  weights.drop(kDown);
  std::string bytes;
  for (int i = 0; i < 16 * 24; ++i) bytes += little_endian(0.1);
  weights.add(kDown, "F64", {16, 24}, bytes);
  const ImportedModel model = import_weights(tiny_llama_config(), weights.bytes());
  EXPECT_EQ(first(model, "blk.0.ffn_down"), 0.1f);
  ASSERT_EQ(model.remarks.size(), 1u);
}

// Root may read everything, so the folder is read as nobody.
TEST(HuggingFace, NamesAFolderThatCannotBeListed) {
  const TemporaryDirectory directory;
  std::filesystem::permissions(directory.path(), std::filesystem::perms::owner_exec | std::filesystem::perms::others_exec);
  const uid_t user = geteuid();
  ASSERT_TRUE(user != 0 || seteuid(65534) == 0);
  const std::string message = testing::refusal_of([&] {
    SourceFiles files;
    open_weight_files(directory.path(), files);
  });
  ASSERT_TRUE(user != 0 || seteuid(user) == 0);
  std::filesystem::permissions(directory.path(), std::filesystem::perms::owner_all);
  EXPECT_EQ(message, directory.path().string() + ": cannot be listed: Permission denied");
}

// T14 and a healthy index.
class HuggingFaceIndex : public ::testing::Test {
 protected:
  void SetUp() override {
    write_hf_directory(directory_, tiny_llama_config());
    const auto whole = tiny_llama_weights();
    SafetensorsWriter shards[2];
    int i = 0;
    for (const auto& [name, row] : whole.header().items()) {
      if (name == "__metadata__") continue;
      shards[i % 2].add_f32(name, row["shape"].get<std::vector<int64_t>>());
      index_["weight_map"][name] = kShards[i++ % 2];
    }
    for (int s = 0; s < 2; ++s) directory_.write(kShards[s], shards[s].bytes());
  }

  std::string refusal() {
    directory_.write("model.safetensors.index.json", index_.dump());
    return testing::refusal_of([&] { import_model(directory_.path()); });
  }

  const char* const kShards[2] = {"model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"};
  TemporaryDirectory directory_;
  Json index_;
};

TEST_F(HuggingFaceIndex, Imports) {
  EXPECT_EQ(refusal(), "");
}

TEST_F(HuggingFaceIndex, ListsEveryFileThatWasRead) {
  std::set<std::string> read = {"config.json", "tokenizer.json", "model.safetensors.index.json", kShards[0], kShards[1]}, listed;
  for (const char* name : {"tokenizer_config.json", "special_tokens_map.json", "generation_config.json"})
    directory_.write(*read.insert(name).first, "{}");
  directory_.write(*read.insert("chat_template.jinja").first, "{{ messages }}");
  directory_.write("model.safetensors.index.json", index_.dump());
  directory_.write("README.md", "which nobody reads");
  const ImportedModel model = import_model(directory_.path());
  for (const auto& file : model.files) EXPECT_TRUE(listed.insert(file->path().filename().string()).second) << file->path();
  EXPECT_EQ(listed, read);
}

TEST_F(HuggingFaceIndex, NamesAMissingShardAndWhatIsLost) {
  std::filesystem::remove(directory_.path() / kShards[1]);
  const std::string message = refusal();
  EXPECT_NE(message.find(kShards[1]), std::string::npos) << message;
  EXPECT_NE(message.find("6 tensors"), std::string::npos) << message;
}

TEST_F(HuggingFaceIndex, RefusesAStaleIndex) {
  index_["weight_map"][kDown] = index_["weight_map"][kDown] == kShards[0] ? kShards[1] : kShards[0];
  const std::string message = refusal();
  EXPECT_NE(message.find("stale"), std::string::npos) << message;
  EXPECT_NE(message.find(kDown), std::string::npos) << message;
}

TEST_F(HuggingFaceIndex, RefusesPathsOutOfTheDirectory) {
  for (const char* name : {"../x.safetensors", "/etc/passwd", "a/b.safetensors", "..", "", "a\\b.safetensors", "weights.bin"}) {
    index_["weight_map"][kDown] = name;
    const std::string message = refusal();
    EXPECT_NE(message.find("model.safetensors.index.json"), std::string::npos) << name << ": " << message;
    EXPECT_NE(message.find(kDown), std::string::npos) << name << ": " << message;
  }
}

TEST_F(HuggingFaceIndex, RefusesAnIndexOfAnotherShape) {
  for (const char* text : {"{}", "[]", R"({"weight_map": 5})", R"({"weight_map": {"a": 1}})", "x", ""}) {
    directory_.write("model.safetensors.index.json", text);
    EXPECT_NE(testing::refusal_of([&] { import_model(directory_.path()); }), "") << text;
  }
}

TEST(HuggingFace, RefusesADirectoryWithoutWeights) {
  const TemporaryDirectory directory;
  EXPECT_NE(testing::refusal_of([&] { import_model(directory.path()); }).find("config.json"), std::string::npos);
  write_hf_directory(directory, tiny_llama_config());
  EXPECT_NE(testing::refusal_of([&] { import_model(directory.path()); }).find("no weights"), std::string::npos);
  EXPECT_NO_THROW(import_model(directory.path(), {.weights = false}));
  directory.write("config.json", "{");
  EXPECT_NE(testing::refusal_of([&] { import_model(directory.path()); }).find("config.json"), std::string::npos);
}

}  // namespace
}  // namespace hyalite
