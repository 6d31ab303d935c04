#include "base/tokenizer_spec_json.h"

#include <gtest/gtest.h>

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
  for (const TokenizerSpec& spec : {full_spec(), TokenizerSpec{}}) {
    const Json json = parse_json(tokenizer_spec_to_json(spec).dump(), "test");
    EXPECT_EQ(tokenizer_spec_from_json(json, "test"), spec);
  }
}

TEST(TokenizerSpecJson, RefusesWhatDoesNotFit) {
  const auto refused = [](auto change) {
    Json json = tokenizer_spec_to_json(full_spec());
    change(json);
    EXPECT_THROW(tokenizer_spec_from_json(json, "test"), Error);
  };
  refused([](Json& j) { j.erase("pieces"); });
  refused([](Json& j) { j["model"] = "wordpiece"; });
  refused([](Json& j) { j["bos"] = "x"; });
  refused([](Json& j) { j["kinds"] = "nnnz"; });
  refused([](Json& j) { j["merges"].push_back(1); });
  refused([](Json& j) { j["pieces"]["bytes"][0] = 100; });
  refused([](Json& j) { j["pieces"]["bytes"][0] = 0; });
  EXPECT_THROW(tokenizer_spec_from_json(Json::array(), "test"), Error);
}

}  // namespace
}  // namespace hyalite
