#include "workbench/tiny_model.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/mapped_file.h"
#include "importers/importer.h"
#include "importers/testing/files.h"
#include "text/tokenizer.h"

namespace hyalite {
namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& path) {
  const auto file = MappedFile::open(path.string());
  return {reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size()};
}

class TinyModel : public ::testing::Test {
 protected:
  hyalite::testing::TemporaryDirectory place;
  fs::path target = fs::path(place.path()) / "tiny";
};

TEST_F(TinyModel, EveryFamilyImportsWithItsFeatures) {
  for (std::string_view family : tiny_families()) {
    SCOPED_TRACE(family);
    write_tiny_model(target, tiny_config(family), 1);
    const ImportedModel model = import_model(target);
    EXPECT_EQ(model.config.family, family);
    EXPECT_EQ(model.config.qkv_bias, family == "qwen2");
    EXPECT_EQ(model.config.qk_norm, family == "qwen3" || family == "gemma3");
    EXPECT_EQ(model.config.post_norms, family == "gemma3");
    EXPECT_EQ(model.config.tied_embeddings, family != "llama");
    EXPECT_EQ(model.config.rope.scaling == RopeScaling::llama3, family == "llama");
    EXPECT_EQ(model.config.head_dim * model.config.heads != model.config.hidden, family == "qwen3" || family == "gemma3");
    for (const std::string& remark : model.remarks) ADD_FAILURE() << remark;
  }
}

TEST_F(TinyModel, GemmaSlidesOnAllLayersButTheLast) {
  write_tiny_model(target, tiny_config("gemma3"), 1);
  const ModelConfig config = import_model(target).config;
  EXPECT_EQ(config.sliding_layers, (std::vector<bool>{true, true, true, true, true, false}));
  EXPECT_NE(config.rope.theta, config.local_rope.theta);
}

TEST_F(TinyModel, TheSameSeedGivesTheSameBytes) {
  auto weights = [&](uint64_t seed) {
    write_tiny_model(target, tiny_config("llama"), seed);
    return contents(target / "model.safetensors");
  };
  const std::string first = weights(7);
  EXPECT_EQ(first, weights(7));
  EXPECT_NE(first, weights(8));
}

TEST_F(TinyModel, TokenizerCoversEveryByte) {
  write_tiny_model(target, tiny_config("llama"), 1);
  const ImportedModel model = import_model(target);
  const Tokenizer tokenizer(model.tokenizer);
  const std::string text = "The cat\n\xc3\xa9\xf0\x9f\x98\x80\x01 sat.";
  EXPECT_EQ(tokenizer.decode(tokenizer.encode(text)), text);
  EXPECT_EQ(tokenizer.encode("in").size(), 1u);
  EXPECT_EQ(tokenizer.vocab_size(), tiny_tokenizer().vocab);
  EXPECT_TRUE(tokenizer.is_end_of_generation(static_cast<int32_t>(tiny_tokenizer().vocab - 1)));
}

TEST_F(TinyModel, RefusesWhatItMustNotReplace) {
  place.write("tiny/precious.txt", "words");
  EXPECT_THROW(write_tiny_model(target, tiny_config("llama"), 1), Error);
  EXPECT_EQ(contents(target / "precious.txt"), "words");
}

TEST_F(TinyModel, RefusesConfigsItCannotFill) {
  Json config = tiny_config("llama");
  config["vocab_size"] = 100;
  EXPECT_THROW(write_tiny_model(target, config, 1), Error);
  config = tiny_config("llama");
  config["model_type"] = "rwkv";
  EXPECT_THROW(write_tiny_model(target, config, 1), Error);
  EXPECT_FALSE(fs::exists(target));
  EXPECT_TRUE(fs::is_empty(place.path()));
}

}  // namespace
}  // namespace hyalite
