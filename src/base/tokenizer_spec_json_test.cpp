#include "base/tokenizer_spec_json.h"

#include <gtest/gtest.h>

#include <functional>

#include "base/error.h"

namespace hyalite {
namespace {

TokenizerSpec full_spec() {
  TokenizerSpec spec;
  spec.model = TokenizerModel::bpe_merges;
  spec.pre_name = "qwen2";
  spec.pieces = {"a", "", "\n\"é", std::string_view("\0", 1)};
  spec.decode_added = true;
  spec.scores = {-1.1, 0.0, 3.4e38f, 1e-45f};
  spec.kinds = {TokenKind::normal, TokenKind::unused, TokenKind::byte, TokenKind::user_defined};
  spec.merges = {{0, 2, 3}};
  spec.ignore_merges = spec.byte_fallback = spec.fuse_unknown = true;
  spec.added = {{.id = 3, .text = "<x>", .special = true, .lstrip = true, .rstrip = false, .single_word = true, .normalized = true}};
  spec.normalizers = {{.type = "Strip", .start = 1, .stop = 1}};
  spec.pre_tokenizers = {{.type = "Split", .pattern = "\\s", .behavior = "Isolated", .invert = true, .flag = true, .first_only = true}};
  spec.decoders = {{.type = "Replace", .pattern = "\\Q_\\E", .content = " ", .use_regex = false}};
  spec.prefix = {1};
  spec.suffix = {2, 3};
  spec.bos = 1;
  spec.eos = 2;
  spec.pad = 3;
  spec.unk = 0;
  spec.end_of_generation = {2};
  spec.chat_template = "{{ x }}\r\n";
  return spec;
}

TEST(TokenizerSpecJson, LosesNothing) {
  TokenizerSpec least;
  least.pieces = {"a"};
  least.kinds = {TokenKind::normal};
  for (const TokenizerSpec& spec : {full_spec(), least}) {
    const Json json = parse_json(tokenizer_spec_to_json(spec).dump(), "test");
    EXPECT_EQ(tokenizer_spec_from_json(json, "test"), spec);
  }
}

std::string refusal(const std::function<void(Json&)>& change) {
  Json json = tokenizer_spec_to_json(full_spec());
  change(json);
  try {
    tokenizer_spec_from_json(json, "test");
    return "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_model);
    return error.what();
  }
}

TEST(TokenizerSpecJson, NamesTheFieldThatDoesNotFit) {
  const auto expect = [](const char* part, const std::function<void(Json&)>& change) {
    EXPECT_NE(refusal(change).find(part), std::string::npos) << refusal(change);
  };
  expect("pieces", [](Json& j) { j.erase("pieces"); });
  expect("decode_added", [](Json& j) { j.erase("decode_added"); });
  expect("wordpiece", [](Json& j) { j["model"] = "wordpiece"; });
  expect("bos", [](Json& j) { j["bos"] = "x"; });
  expect("kinds", [](Json& j) { j["kinds"] = "nnnz"; });
  expect("merges", [](Json& j) { j["merges"].push_back(1); });
  expect("test.pieces", [](Json& j) { j["pieces"]["bytes"][0] = 100; });
  expect("test.pieces", [](Json& j) { j["pieces"]["bytes"][0] = 0; });
  expect("test.added[0]", [](Json& j) { j["added"][0].erase("special"); });
  expect("test.normalizers[0]", [](Json& j) { j["normalizers"][0]["start"] = 0.5; });
  expect("must be an object", [](Json& j) { j = Json::array(); });
}

TEST(TokenizerSpecJson, CutsNoInteger) {
  const int64_t wide = (int64_t{1} << 32) + 1;  // its lower half is an id of the vocabulary
  for (const char* field : {"bos", "eos", "pad", "unk"})
    EXPECT_NE(refusal([&](Json& j) { j[field] = wide; }).find(field), std::string::npos);
  for (const char* field : {"prefix", "suffix", "end_of_generation", "merges"})
    EXPECT_NE(refusal([&](Json& j) { j[field][0] = wide; }).find(field), std::string::npos);
  EXPECT_NE(refusal([&](Json& j) { j["pieces"]["bytes"][0] = wide; }).find("bytes"), std::string::npos);
  EXPECT_NE(refusal([&](Json& j) { j["added"][0]["id"] = wide; }).find("id"), std::string::npos);
}

TEST(TokenizerSpecJson, RefusesIdsAndSizesThatFitNoPiece) {
  const auto expect = [](const char* field, const std::function<void(Json&)>& change) {
    EXPECT_NE(refusal(change).find(std::string("test: ") + field), std::string::npos) << refusal(change);
  };
  expect("kinds", [](Json& j) { j["kinds"] = "n"; });
  expect("scores", [](Json& j) { j["scores"].push_back(1); });
  expect("merges", [](Json& j) { j["merges"][2] = 4; });
  expect("added tokens", [](Json& j) { j["added"][0]["id"] = -1; });
  expect("special ids", [](Json& j) { j["unk"] = 4; });
  expect("prefix", [](Json& j) { j["prefix"] = {-2}; });
  expect("end of generation", [](Json& j) { j["end_of_generation"] = {7}; });
  expect("pieces", [](Json& j) { j["pieces"]["bytes"] = {1, 0, 3, 2}; });  // cuts a character
}

}  // namespace
}  // namespace hyalite
