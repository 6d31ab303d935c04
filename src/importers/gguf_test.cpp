#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>

#include "importers/importer.h"
#include "importers/testing/gguf_writer.h"
#include "importers/testing/refusal.h"

namespace hyalite {
namespace {

using testing::GgufWriter;
using testing::little_endian;
using testing::patched;
using testing::TemporaryDirectory;
using testing::tiny_llama;

ImportedModel import_bytes(const std::string& bytes) {
  const TemporaryDirectory directory;
  return import_model(directory.write("broken.gguf", bytes));
}
ImportedModel import_of(GgufWriter writer) {
  return import_bytes(writer.bytes());
}

std::string refusal(const std::string& bytes) {
  return testing::refusal_of([&] { import_bytes(bytes); });
}
std::string refusal(GgufWriter writer) {
  return refusal(writer.bytes());
}
std::string refusal(const std::filesystem::path& path) {
  return testing::refusal_of([&] { import_model(path); });
}

TEST(Gguf, ImportsALlama) {
  const ImportedModel model = import_of(tiny_llama());
  EXPECT_EQ(model.format, "gguf");
  EXPECT_EQ(model.config.family, "llama");
  EXPECT_EQ(model.config.head_dim, 8);
  EXPECT_TRUE(model.config.tied_embeddings);
  EXPECT_TRUE(model.config.rope.interleaved);
  EXPECT_EQ(model.config.norm_eps, 1e-5);
  EXPECT_EQ(model.weights.entries().size(), tensor_specs(model.config).size());
  EXPECT_EQ(model.weights.view("blk.1.attn_k").rows(), 16);
  EXPECT_EQ(model.weights.view("blk.1.attn_k").as<float>()[511], 0.25f);
  EXPECT_NE(model.weights.at("blk.1.attn_k").file, nullptr);
  EXPECT_EQ(model.weights.at("blk.1.attn_k").source.tensor, "blk.1.attn_k.weight");
  EXPECT_EQ(model.tokenizer.pieces.size(), 256u);
  EXPECT_TRUE(model.remarks.empty());
}

TEST(Gguf, KeepsQuantisedMatricesAndWidensVectors) {
  GgufWriter writer = tiny_llama();
  writer.drop("blk.0.ffn_down.weight").tensor("blk.0.ffn_down.weight", {64, 32}, 2, std::string(64 * 32 / 32 * 18, '\1'));
  writer.drop("output_norm.weight").tensor("output_norm.weight", {32}, 1, std::string(64, '\x3c'));
  const ImportedModel model = import_of(writer);
  EXPECT_EQ(model.weights.at("blk.0.ffn_down").type.dtype, DType::q4_0);
  EXPECT_EQ(model.weights.at("output_norm").type.dtype, DType::f32);
}

TEST(Gguf, UnderstandsOptionalTensors) {
  GgufWriter writer = tiny_llama();
  writer.f32_tensor("output.weight", {32, 256}).f32_tensor("rope_freqs.weight", {4}, 1).f32_tensor("something.weight", {4});
  for (const std::string layer : {"blk.0.", "blk.1."})
    writer.f32_tensor(layer + "attn_q.bias", {32}).f32_tensor(layer + "attn_k.bias", {16}).f32_tensor(layer + "attn_v.bias", {16});
  const ImportedModel model = import_of(writer);
  EXPECT_FALSE(model.config.tied_embeddings);
  EXPECT_TRUE(model.config.qkv_bias);
  EXPECT_TRUE(model.config.rope.has_factors);
  EXPECT_EQ(model.weights.view("rope_factors").columns(), 4);
  ASSERT_EQ(model.remarks.size(), 1u);
  EXPECT_NE(model.remarks[0].find("something.weight"), std::string::npos);
  writer.f32_tensor("blk.0.attn_rot_embd.weight", {4});
  EXPECT_EQ(import_of(writer).remarks, model.remarks);
  writer.f32_tensor("blk.0.attn_output.bias", {32});
  EXPECT_NE(refusal(writer).find("blk.1.attn_output.bias: is missing"), std::string::npos);
  EXPECT_TRUE(import_of(writer.f32_tensor("blk.1.attn_output.bias", {32})).config.attention_output_bias);
}

TEST(Gguf, RefusesRotaryFactorsThatSpeedUp) {
  for (float factor : {1e-7f, -1.0f, 0.0f, 0.7f, INFINITY, NAN}) {
    const std::string why = refusal(tiny_llama().f32_tensor("rope_freqs.weight", {4}, factor));
    EXPECT_NE(why.find("tensor rope_freqs.weight: factor 0 is "), std::string::npos) << factor << ": " << why;
  }
  for (float factor : {0.9977997f, 8.0f, 1e30f}) EXPECT_EQ(refusal(tiny_llama().f32_tensor("rope_freqs.weight", {4}, factor)), "");
}

TEST(Gguf, RefusesTensorsOfALayerThatTheFamilyHasNot) {
  for (const char* name : {"blk.1.attn_q_norm.weight", "blk.0.ffn_down.bias", "blk.2.attn_norm.weight"})
    EXPECT_NE(refusal(tiny_llama().f32_tensor(name, {32})).find(name), std::string::npos) << name;
}

GgufWriter renamed(const char* architecture) {
  GgufWriter w = tiny_llama();
  w.drop("general.architecture").string("general.architecture", architecture);
  const std::string a = std::string(architecture) + ".";
  w.u32(a + "block_count", 2).u32(a + "context_length", 128).u32(a + "embedding_length", 32).u32(a + "feed_forward_length", 64);
  w.u32(a + "attention.head_count", 4).u32(a + "attention.head_count_kv", 2).f32(a + "attention.layer_norm_rms_epsilon", 1e-6f);
  return w.f32(a + "rope.freq_base", 1e6f);
}

TEST(Gguf, Qwen) {
  GgufWriter qwen2 = renamed("qwen2");
  EXPECT_NE(refusal(qwen2).find("attn_q.bias: is missing"), std::string::npos);
  GgufWriter qwen3 = renamed("qwen3");
  for (const std::string layer : {"blk.0.", "blk.1."})
    qwen3.f32_tensor(layer + "attn_q_norm.weight", {8}).f32_tensor(layer + "attn_k_norm.weight", {8});
  const ImportedModel model = import_of(qwen3);
  EXPECT_TRUE(model.config.qk_norm);
  EXPECT_FALSE(model.config.rope.interleaved);
  EXPECT_EQ(model.config.rope.theta, 1e6);
}

TEST(Gguf, Gemma3) {
  GgufWriter w = renamed("gemma3");
  w.u32("gemma3.attention.key_length", 8).u32("gemma3.attention.value_length", 8).u32("gemma3.attention.sliding_window", 16);
  for (const std::string layer : {"blk.0.", "blk.1."}) {
    w.f32_tensor(layer + "attn_q_norm.weight", {8}).f32_tensor(layer + "attn_k_norm.weight", {8});
    w.f32_tensor(layer + "post_attention_norm.weight", {32}).f32_tensor(layer + "post_ffw_norm.weight", {32}, 1.5f);
  }
  const ImportedModel model = import_of(w);
  EXPECT_EQ(model.config.sliding_layers, (std::vector<bool>{true, true}));
  EXPECT_EQ(model.config.local_rope.theta, 10000);
  EXPECT_EQ(model.config.rope.theta, 1e6);
  EXPECT_EQ(model.config.activation, Activation::gelu_tanh);
  EXPECT_DOUBLE_EQ(model.config.embedding_scale, std::sqrt(32.0));
  EXPECT_EQ(model.weights.view("blk.0.post_ffw_norm").as<float>()[0], 1.5f);  // the file has the 1 already
  w.u32("gemma3.attention.sliding_window_pattern", 2);
  EXPECT_EQ(import_of(w).config.sliding_layers, (std::vector<bool>{true, false}));
  w.drop("gemma3.attention.sliding_window_pattern")
      .array("gemma3.attention.sliding_window_pattern", GgufType::boolean, 2, std::string("\0\1", 2));
  EXPECT_EQ(import_of(w).config.sliding_layers, (std::vector<bool>{false, true}));
}

TEST(Gguf, MendsNamesThatAreNoText) {
  GgufWriter w = tiny_llama();
  w.drop("general.name").string("general.name", "a\xff" + std::string(5000, 'b')).f32_tensor("odd\xfe", {1});
  const ImportedModel model = import_of(w);
  EXPECT_EQ(model.config.name.substr(0, 5), "a\uFFFDb");
  EXPECT_LT(model.config.name.size(), 250u);
  EXPECT_NE(model.remarks.at(0).find("odd\uFFFD"), std::string::npos);
}

TEST(Gguf, RemarksOnAMissingPreTokenizer) {
  GgufWriter w = tiny_llama();
  EXPECT_TRUE(import_of(w).remarks.empty());
  w.drop("tokenizer.ggml.pre");
  EXPECT_NE(import_of(w).remarks.at(0).find("tokenizer.ggml.pre is missing"), std::string::npos);
}

// T16.
TEST(Gguf, RopeScaling) {
  GgufWriter w = tiny_llama();
  w.string("llama.rope.scaling.type", "yarn").f32("llama.rope.scaling.factor", 4).u32("llama.rope.scaling.original_context_length", 32);
  const RopeConfig yarn = import_of(w).config.rope;
  EXPECT_EQ(yarn.scaling, RopeScaling::yarn);
  EXPECT_EQ(yarn.original_context, 32);
  EXPECT_DOUBLE_EQ(yarn.attention_factor, 0.1 * std::log(4.0) + 1);
  w = tiny_llama();
  w.f32("llama.rope.scaling.factor", 2);
  EXPECT_EQ(import_of(w).config.rope.scaling, RopeScaling::linear);
  w.string("llama.rope.scaling.type", "none");
  EXPECT_EQ(import_of(w).config.rope.scaling, RopeScaling::none);
  w.drop("llama.rope.scaling.factor").f32("llama.rope.scaling.factor", 0);
  EXPECT_EQ(import_of(w).config.rope.scaling, RopeScaling::none);
  w.drop("llama.rope.scaling.type").string("llama.rope.scaling.type", "linear");
  EXPECT_NE(refusal(w).find("llama.rope.scaling.factor: is not positive"), std::string::npos);
  w.drop("llama.rope.scaling.type").string("llama.rope.scaling.type", "longrope").drop("llama.rope.scaling.factor");
  EXPECT_NE(refusal(w).find("\"longrope\""), std::string::npos);
}

TEST(Gguf, RefusesBrokenConfigurations) {
  GgufWriter writer = tiny_llama();
  const std::string whole = writer.bytes(), t = "blk.0.ffn_down.weight";
  struct Case {
    const char* what;
    std::string field, patch, expected;
    size_t skip = 0;
  };
  const Case cases[] = {
      {"unknown architecture", "value:general.architecture", "lzzma", "\"lzzma\"", 8},
      {"unknown pre-tokeniser", "value:tokenizer.ggml.pre", "smollx", "smollx", 8},
      {"7 heads", "value:llama.attention.head_count", little_endian(7u), "head_count"},
      {"0 heads", "value:llama.attention.head_count", little_endian(0u), "head_count"},
      {"0 kv heads", "value:llama.attention.head_count_kv", little_endian(0u), "key/value heads"},
      {"3 kv heads", "value:llama.attention.head_count_kv", little_endian(3u), "key/value heads"},
      {"0 layers", "value:llama.block_count", little_endian(0u), "layers"},
      {"3 layers", "value:llama.block_count", little_endian(3u), "blk.2.attn_norm.weight"},
      {"2^31 layers", "value:llama.block_count", little_endian(1u << 31), "layers"},
      {"no context", "value:llama.context_length", little_endian(0u), "context"},
      {"epsilon 0", "value:llama.attention.layer_norm_rms_epsilon", little_endian(0.0f), "epsilon"},
      {"epsilon NaN", "value:llama.attention.layer_norm_rms_epsilon", little_endian(NAN), "epsilon"},
      {"theta -1", "value:llama.rope.freq_base", little_endian(-1.0f), "theta"},
      {"transposed weight", "dims:" + t, little_endian(uint64_t{32}) + little_endian(uint64_t{64}), t},
      {"missing weight", "name:" + t, "blk.0.ffn_dawn.weight", "blk.0.ffn_down.weight", 8},
  };
  for (const Case& c : cases) {
    const std::string message = refusal(patched(whole, writer.position(c.field) + c.skip, c.patch));
    EXPECT_NE(message.find("broken.gguf"), std::string::npos) << c.what << ": " << message;
    EXPECT_NE(message.find(c.expected), std::string::npos) << c.what << ": " << message;
  }
}

TEST(Gguf, RefusesOptionsByName) {
  EXPECT_NE(refusal(tiny_llama().u32("llama.expert_count", 8)).find("expert_count"), std::string::npos);
  EXPECT_NE(refusal(tiny_llama().boolean("llama.attention.causal", false)).find("causal"), std::string::npos);
  EXPECT_NE(refusal(tiny_llama().u32("llama.attention.value_length", 4)).find("value_length"), std::string::npos);
  EXPECT_NE(refusal(tiny_llama().drop("llama.block_count")).find("llama.block_count: is missing"), std::string::npos);
  EXPECT_NE(refusal(tiny_llama().drop("llama.block_count").string("llama.block_count", "2")).find("expected an integer"),
            std::string::npos);
  EXPECT_NE(refusal(tiny_llama().string("general.type", "mmproj")).find("mmproj"), std::string::npos);
  EXPECT_NE(refusal(tiny_llama().u32("llama.rope.dimension_count", 10)).find("dimension_count"), std::string::npos);
}

// T17: more rows than tokens is padding; fewer is an error.
TEST(Gguf, ComparesTheVocabularyWithTheEmbedding) {
  GgufWriter w = tiny_llama();
  w.drop("token_embd.weight").f32_tensor("token_embd.weight", {32, 300});
  EXPECT_EQ(import_of(w).config.vocab, 300);
  w.drop("token_embd.weight").f32_tensor("token_embd.weight", {32, 100});
  EXPECT_NE(refusal(w).find("tokenizer.ggml.tokens"), std::string::npos);
}

TEST(Gguf, RefusesMoreTokensThanTheVocabularySizeSays) {
  EXPECT_NE(refusal(tiny_llama().u32("llama.vocab_size", 255)).find("llama.vocab_size: is 255"), std::string::npos);
  EXPECT_EQ(import_of(tiny_llama().u32("llama.vocab_size", 300)).config.vocab, 256);
}

TEST(Gguf, HeaderOnlyImportNeedsNoWeights) {
  GgufWriter w = tiny_llama();
  w.drop("blk.0.ffn_down.weight");
  const TemporaryDirectory directory;
  const auto path = directory.write("x.gguf", w.bytes());
  EXPECT_TRUE(import_model(path, {.weights = false}).weights.entries().empty());
  EXPECT_THROW(import_model(path), Error);
}

// T08: cut at every 4 KiB and one byte short.
TEST(Gguf, RefusesTruncatedFiles) {
  const std::string whole = tiny_llama(512).bytes();
  for (size_t size = 0; size < whole.size(); size += 4096) EXPECT_NE(refusal(whole.substr(0, size)), "") << size;
  const std::string message = refusal(whole.substr(0, whole.size() - 1));
  EXPECT_NE(message.find("output_norm.weight"), std::string::npos) << message;
}

// T09.
class GgufSplit : public ::testing::Test {
 protected:
  void SetUp() override {
    for (int i = 0; i < 3; ++i) write_shard(i, 3, 20);
  }

  static std::string name(int i) { return "model-0000" + std::to_string(i + 1) + "-of-00003.gguf"; }

  // Shard 0 has the keys; the tensors go round.
  void write_shard(int shard, uint16_t count, uint32_t tensors, const std::string& prefix = "") {
    const GgufWriter whole = tiny_llama();
    GgufWriter w = shard == 0 ? whole : GgufWriter();
    w.u16("split.no", static_cast<uint16_t>(shard)).u16("split.count", count).u32("split.tensors.count", tensors);
    if (shard != 0) w.take_tensors(whole);
    w.keep_tensors([&](size_t i) { return static_cast<int>(i % 3) == shard; });
    directory_.write(prefix + name(shard), w.bytes());
  }

  std::string refusal(int shard) { return hyalite::refusal(directory_.path() / name(shard)); }

  TemporaryDirectory directory_;
};

TEST_F(GgufSplit, ImportsFromAnyShard) {
  for (int i = 0; i < 3; ++i) {
    const ImportedModel model = import_model(directory_.path() / name(i));
    EXPECT_EQ(model.files.size(), 3u);
    EXPECT_EQ(model.weights.entries().size(), 20u);
    EXPECT_EQ(model.tokenizer.pieces.size(), 256u);
  }
}

TEST_F(GgufSplit, NamesAMissingShard) {
  for (int missing = 0; missing < 3; ++missing) {
    std::filesystem::rename(directory_.path() / name(missing), directory_.path() / "hidden");
    const std::string message = refusal((missing + 1) % 3);
    EXPECT_NE(message.find(name(missing)), std::string::npos) << message;
    std::filesystem::rename(directory_.path() / "hidden", directory_.path() / name(missing));
  }
}

TEST_F(GgufSplit, RefusesARenamedShard) {
  std::filesystem::rename(directory_.path() / name(1), directory_.path() / "other.gguf");
  EXPECT_NE(hyalite::refusal(directory_.path() / "other.gguf").find("-00002-of-00003.gguf"), std::string::npos);
  std::filesystem::rename(directory_.path() / "other.gguf", directory_.path() / "stem-00002-of-00003.gguf");
  EXPECT_NE(hyalite::refusal(directory_.path() / "stem-00002-of-00003.gguf").find("stem-00001-of-00003.gguf"), std::string::npos);
  std::filesystem::copy(directory_.path() / name(0), directory_.path() / name(1));
  EXPECT_NE(refusal(0).find("split.no"), std::string::npos);
}

TEST_F(GgufSplit, RefusesShardsOfTwoModels) {
  write_shard(2, 3, 21);
  EXPECT_NE(refusal(0).find("another model"), std::string::npos);
  for (int i = 0; i < 3; ++i) write_shard(i, 3, 19);
  EXPECT_NE(refusal(0).find("20 tensors"), std::string::npos);
  for (int i = 0; i < 3; ++i) write_shard(i, 3, 20);
  GgufWriter twice;
  twice.u16("split.no", 2).u16("split.count", 3).u32("split.tensors.count", 20).f32_tensor("token_embd.weight", {32, 256});
  directory_.write(name(2), twice.bytes());
  EXPECT_NE(refusal(1).find("token_embd.weight"), std::string::npos);
}

TEST_F(GgufSplit, RefusesImpossibleCounts) {
  GgufWriter w = tiny_llama();
  w.u16("split.no", 3).u16("split.count", 3);
  EXPECT_NE(hyalite::refusal(w).find("split.no"), std::string::npos);
}

// T38.
TEST(ImportModel, RefusesOddFiles) {
  const TemporaryDirectory directory;
  EXPECT_NE(refusal(directory.path() / "none.gguf").find("no such file"), std::string::npos);
  EXPECT_NE(refusal(directory.path()).find("no model directory"), std::string::npos);
  EXPECT_NE(refusal(std::filesystem::path("/dev/null")).find("neither"), std::string::npos);
  EXPECT_NE(refusal(directory.write("empty", "")).find("empty"), std::string::npos);
  EXPECT_NE(refusal(directory.write("empty.gguf", "")), "");
  EXPECT_NE(refusal(directory.write("noise.bin", "hello world")).find("no format"), std::string::npos);
  EXPECT_NE(refusal(directory.write("noise.gguf", "hello world")).find("no GGUF file"), std::string::npos);
  ASSERT_EQ(mkfifo((directory.path() / "pipe.gguf").c_str(), 0600), 0);
  EXPECT_NE(refusal(directory.path() / "pipe.gguf").find("neither"), std::string::npos);
  std::filesystem::create_symlink("nowhere", directory.path() / "dangling.gguf");
  EXPECT_NE(refusal(directory.path() / "dangling.gguf").find("no such file"), std::string::npos);
}

TEST(ImportModel, AcceptsOddNames) {
  const TemporaryDirectory directory;
  const std::string bytes = tiny_llama().bytes();
  for (const std::string& name : {std::string("with space.gguf"), std::string("Загрузки/模型 😊.gguf"), std::string("new\nline.gguf"),
                                  std::string("no extension"), std::string(250, 'n') + ".gguf"}) {
    const auto path = directory.write(name, bytes);
    EXPECT_EQ(import_model(path).config.layers, 2) << name;
  }
  std::filesystem::create_symlink("with space.gguf", directory.path() / "link.gguf");
  EXPECT_EQ(import_model(directory.path() / "link.gguf").config.layers, 2);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory.path()), {}), 6);  // nothing is written beside the model
}

}  // namespace
}  // namespace hyalite
