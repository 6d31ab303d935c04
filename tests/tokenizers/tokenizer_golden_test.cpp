// Tiny tokenizers of each kind, as `tokenizers` saved them, against the ids and texts that it gave (tools/oracles/tokenizers.py).
#include <gtest/gtest.h>

#include <filesystem>

#include "base/tokenizer_spec_json.h"
#include "importers/tokenizer_json.h"
#include "text/detokenizer.h"
#include "text/tokenizer.h"

namespace hyalite {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> golden_files() {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(fs::path(HYALITE_SOURCE_DIR) / "tests/tokenizers"))
    if (entry.path().filename().string().starts_with("tiny_")) files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

class TokenizerGolden : public testing::TestWithParam<std::string> {};

std::string piece_by_piece(const Tokenizer& tokenizer, const std::vector<int32_t>& ids) {
  Detokenizer detokenizer(tokenizer, false, true);
  std::string text;
  for (int32_t id : ids) text += detokenizer.push(id);
  return text + detokenizer.finish();
}

TEST_P(TokenizerGolden, GivesTheIdsAndTextsOfTheReference) {
  const Json golden = read_json_file(GetParam());
  const TokenizerSpec imported = import_tokenizer_json(golden.at("tokenizer").dump(), GetParam());
  const TokenizerSpec spec = tokenizer_spec_from_json(parse_json(tokenizer_spec_to_json(imported).dump(), "spec"), "spec");
  ASSERT_EQ(spec, imported);
  const Tokenizer tokenizer(spec);
  for (const Json& test : golden.at("cases")) {
    const std::string text = test.at("text");
    const auto ids = test.at("ids").get<std::vector<int32_t>>();
    EXPECT_EQ(tokenizer.encode(text, {.add_special = false}), ids) << test.at("text");
    EXPECT_EQ(tokenizer.encode(text), test.at("with_special").get<std::vector<int32_t>>()) << test.at("text");
    EXPECT_EQ(tokenizer.encode(Prompt{{text, true}}), ids) << test.at("text");
    const std::string decoded = tokenizer.decode(ids, false);
    EXPECT_EQ(decoded, test.at("decoded").get<std::string>()) << test.at("text");
    EXPECT_EQ(piece_by_piece(tokenizer, ids), decoded) << test.at("text");
  }
}

INSTANTIATE_TEST_SUITE_P(All, TokenizerGolden, testing::ValuesIn(golden_files()),
                         [](const auto& golden) { return fs::path(golden.param).stem().string(); });

}  // namespace
}  // namespace hyalite
