#include "text/tokenizer.h"

#include <gtest/gtest.h>

#include <thread>

#include "base/error.h"
#include "base/tokenizer_limits.h"
#include "base/utf8.h"
#include "text/detokenizer.h"
#include "text/test_specs.h"

namespace hyalite {
namespace {

using Ids = std::vector<int32_t>;
constexpr EncodeOptions kPlain{.add_special = false};
constexpr EncodeOptions kUserText{.add_special = false, .parse_special = false};

TEST(Tokenizer, MergesBytesByRank) {
  const TokenizerSpec spec = byte_level_spec({"he", "l l", "ll o", "he llo"});
  const Tokenizer tokenizer(spec);
  EXPECT_EQ(tokenizer.encode("hello"), (Ids{259}));
  EXPECT_EQ(tokenizer.encode("hell"), (Ids{256, 257}));
  EXPECT_EQ(tokenizer.piece(259), "hello");
}

TEST(Tokenizer, TakesTheLongWayThroughTheSameMerges) {
  // 200 symbols go through the heap, 40 through the scan: the ids of the long word must be those of its parts.
  const Tokenizer tokenizer(byte_level_spec({"aa", "aa aa", "aaaa aaaa"}));
  EXPECT_EQ(tokenizer.encode(std::string(200, 'a')), Ids(25, 258));
  EXPECT_EQ(tokenizer.encode(std::string(40, 'a')), Ids(5, 258));
  EXPECT_EQ(tokenizer.encode(std::string(100001, 'a')).size(), 12501u);
}

TEST(Tokenizer, KeepsBytesThatAreNoText) {
  const Tokenizer tokenizer(byte_level_spec({"he"}));
  using namespace std::string_literals;
  for (const std::string& text : {"\xff\xfehe\xc3"s, "a\0b"s, "\xe6\x97"s, "\xed\xa0\x80x"s, ""s, "\xf4\x90\x80\x80"s}) {
    std::string pieces;
    for (int32_t id : tokenizer.encode(text)) pieces += tokenizer.piece(id);
    EXPECT_EQ(pieces, text);
    EXPECT_EQ(tokenizer.decode(tokenizer.encode(text)), valid_text(text));
  }
}

TEST(Tokenizer, FallsBackToBytesAfterAndWithoutASpecialToken) {
  for (bool prefix : {true, false}) {
    const Tokenizer tokenizer(sentencepiece_spec(prefix));
    const Ids space = prefix ? Ids{kSpaceG} : Ids{kG};
    Ids expected = {kBos};
    expected.insert(expected.end(), space.begin(), space.end());
    EXPECT_EQ(tokenizer.encode("<s>G", kPlain), expected);
    EXPECT_EQ(tokenizer.encode(" G", kPlain), prefix ? (Ids{kSpace, kSpaceG}) : Ids{kSpaceG});
    EXPECT_EQ(tokenizer.encode("G", {}).front(), kBos);
    Ids llama = tokenizer.encode("🦙", kPlain);
    if (prefix) llama.erase(llama.begin());
    EXPECT_EQ(llama, (Ids{byte_id(0xf0), byte_id(0x9f), byte_id(0xa6), byte_id(0x99)}));
    EXPECT_EQ(tokenizer.decode(tokenizer.encode("G 🦙 G\xff")), "G 🦙 G\ufffd");
  }
}

TEST(Tokenizer, UserTextNeverBecomesAControlToken) {
  const Tokenizer tokenizer(sentencepiece_spec(false));
  EXPECT_EQ(tokenizer.encode("<s>", kPlain), (Ids{kBos}));
  for (int32_t id : tokenizer.encode("<s>G<s>", kUserText)) EXPECT_FALSE(tokenizer.is_control(id));
  EXPECT_EQ(tokenizer.decode(tokenizer.encode("<s>G", kUserText)), "<s>G");
  const Prompt prompt = {{"<s>", true}, {"<s>G", false}, {"<s>", true}};
  const Ids ids = tokenizer.encode(prompt);
  EXPECT_EQ(std::count(ids.begin(), ids.end(), kBos), 2);
  EXPECT_EQ(tokenizer.decode(ids), "<s>G");
  // A control token does not reach across a border, whoever wrote both sides.
  const Ids split = tokenizer.encode(Prompt{{"<", true}, {"s>", true}});
  EXPECT_EQ(std::count(split.begin(), split.end(), kBos), 0);
}

TEST(Tokenizer, AddsTheBeginningOnce) {
  const Tokenizer tokenizer(sentencepiece_spec(true));
  EXPECT_EQ(tokenizer.encode(""), (Ids{kBos}));
  EXPECT_EQ(tokenizer.encode("", kPlain), Ids{});
  const Ids chat = tokenizer.encode(Prompt{{"<s>", true}, {"G", false}});
  EXPECT_EQ(std::count(chat.begin(), chat.end(), kBos), 1);
}

TEST(Tokenizer, KnowsPaddedIds) {
  TokenizerSpec spec = byte_level_spec({"he"});
  spec.pieces.push_back("[PAD]");
  spec.kinds.push_back(TokenKind::unused);
  const Tokenizer tokenizer(spec);
  EXPECT_TRUE(tokenizer.is_unused(257));
  EXPECT_TRUE(tokenizer.is_unused(300));
  EXPECT_FALSE(tokenizer.is_unused(0));
  EXPECT_EQ(tokenizer.piece(300), "");
  EXPECT_EQ(tokenizer.piece(-1), "");
  EXPECT_EQ(tokenizer.decode(Ids{0, 300, -5}), std::string(1, '\0'));
}

// As `tokenizers` 0.23 does: the scores of tokenizer.json are doubles, and of equal ways the one whose last piece begins first is taken.
TEST(Tokenizer, AddsUnigramScoresInDoublePrecision) {
  TokenizerSpec spec;
  spec.model = TokenizerModel::unigram;
  spec.pieces = {"<unk>", "a", "b", "ab", "aa", "aaa"};
  spec.kinds.assign(spec.pieces.size(), TokenKind::normal);
  spec.kinds[0] = TokenKind::unknown;
  spec.scores = {0, -1, -1, -2 - 1e-10, -2, -3};
  spec.unk = 0;
  const Tokenizer tokenizer(spec);
  EXPECT_EQ(tokenizer.encode("ab"), (Ids{1, 2}));
  EXPECT_EQ(tokenizer.encode("aa"), (Ids{4}));
  EXPECT_EQ(tokenizer.encode("aaaa"), (Ids{1, 5}));
  EXPECT_EQ(tokenizer.encode("aaaaa"), (Ids{4, 5}));
}

TEST(Tokenizer, DecodesAddedTokensAsTheSpecSays) {
  TokenizerSpec spec = sentencepiece_spec(false);
  for (int byte : {0xf0, 0x9f, 0xa6, 0x99}) spec.added.push_back({.id = byte_id(byte), .text = std::string(spec.pieces[byte_id(byte)])});
  const Ids llama{kG, byte_id(0xf0), byte_id(0x9f), byte_id(0xa6), byte_id(0x99)};
  EXPECT_EQ(Tokenizer(spec).decode(llama), "G<0xF0><0x9F><0xA6><0x99>");
  spec.decode_added = true;
  EXPECT_EQ(Tokenizer(spec).decode(llama), "G🦙");
}

TEST(Tokenizer, RunsInManyThreads) {
  const Tokenizer tokenizer(byte_level_spec({"he", "l l", "ll o", "he llo"}));
  const Ids expected = tokenizer.encode("hello hello helo hell");
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) EXPECT_EQ(tokenizer.encode("hello hello helo hell"), expected);
    });
  for (std::thread& thread : threads) thread.join();
}

TEST(Tokenizer, RefusesSpecsThatContradictThemselves) {
  const auto refused = [](auto change) {
    TokenizerSpec spec = byte_level_spec({"he"});
    change(spec);
    EXPECT_THROW(Tokenizer{spec}, Error);
  };
  refused([](TokenizerSpec& s) { s.pieces = {}; });
  refused([](TokenizerSpec& s) { s.kinds.pop_back(); });
  refused([](TokenizerSpec& s) { s.merges[0].result = 400; });
  refused([](TokenizerSpec& s) { s.merges[0].left = -1; });
  refused([](TokenizerSpec& s) { s.added.push_back({.id = 999, .text = "x"}); });
  refused([](TokenizerSpec& s) { s.prefix = {-3}; });
  refused([](TokenizerSpec& s) { s.model = TokenizerModel::unigram; });
  refused([](TokenizerSpec& s) { s.normalizers = {{.type = "Nmt"}}; });
  refused([](TokenizerSpec& s) { s.pre_tokenizers = {{.type = "UnicodeScripts"}}; });
  refused([](TokenizerSpec& s) { s.decoders = {{.type = "CTC"}}; });
  refused([](TokenizerSpec& s) { s.normalizers.assign(kMaxTextRules + 1, {.type = "NFC"}); });
  refused([](TokenizerSpec& s) { s.pre_tokenizers.assign(100000, {.type = "Digits"}); });
  refused([](TokenizerSpec& s) { s.decoders.assign(kMaxTextRules + 1, {.type = "ByteLevel"}); });
  refused([](TokenizerSpec& s) { s.prefix.assign(kMaxTemplateIds + 1, 0); });
  refused([](TokenizerSpec& s) { s.suffix.assign(kMaxTemplateIds + 1, 0); });
}

// Where, and why, making the tokenizer or encoding `text` is refused.
std::string refusal(TokenizerSpec spec, const std::string& text) {
  spec.file = "model.file";
  try {
    Tokenizer(spec).encode(text);
    return "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_model);
    return error.what();
  }
}

TEST(Tokenizer, RefusesRulesThatMakeTooMuchOfAText) {
  const TextRule grow{.type = "Replace", .pattern = ".", .content = std::string(1000, 'x')};
  const TextRule literal{.type = "Replace", .pattern = "\\Qx\\E", .content = std::string(1000, 'x')};
  TokenizerSpec decoders = byte_level_spec({"he"});
  decoders.decoders = {grow, literal, literal, literal, literal};
  EXPECT_TRUE(refusal(decoders, "").starts_with("model.file: decoder 2: tokenizer: the rules make more")) << refusal(decoders, "");

  TokenizerSpec normalizers = byte_level_spec({"he"});
  normalizers.normalizers = {grow, literal, literal, literal, literal};
  EXPECT_EQ(refusal(normalizers, ""), "accepted");
  EXPECT_TRUE(refusal(normalizers, "abc").starts_with("model.file: normalizer 1: tokenizer: the rules make more"));
  normalizers.added = {{.id = 1, .text = "abc", .normalized = true}};
  EXPECT_TRUE(refusal(normalizers, "").starts_with("model.file: normalizer 1: tokenizer: the rules make more"));

  TokenizerSpec alphabets = byte_level_spec({"he"});
  alphabets.pre_tokenizers.assign(kMaxTextRules, {.type = "ByteLevel", .use_regex = false});
  EXPECT_NE(refusal(alphabets, "\u00e9").find("model.file: pre_tokenizer 1"), std::string::npos) << refusal(alphabets, "\u00e9");
  TokenizerSpec marks = byte_level_spec({"he"});
  marks.pre_tokenizers = {{.type = "Metaspace", .content = "     "}};
  EXPECT_NE(refusal(marks, "").find("model.file: pre_tokenizer 0: tokenizer: the mark"), std::string::npos) << refusal(marks, "");
}

TEST(Tokenizer, RefusesPatternsThatSearchWithoutEnd) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += std::string(20, 'a') + "b ";
  TokenizerSpec whole = byte_level_spec({"he"});
  whole.pre_tokenizers = {{.type = "Split", .pattern = "(a+)+$", .behavior = "Isolated"}};
  EXPECT_TRUE(refusal(whole, text).starts_with("model.file: tokenizer: pattern (a+)+$: cannot be matched")) << refusal(whole, text);
  // Word by word, and between added tokens, it is still the same text.
  TokenizerSpec words = whole;
  words.pre_tokenizers.insert(words.pre_tokenizers.begin(), {.type = "WhitespaceSplit"});
  EXPECT_TRUE(refusal(words, text).starts_with("model.file: tokenizer: pattern (a+)+$: cannot be matched")) << refusal(words, text);
  whole.added = {{.id = 1, .text = " "}};
  EXPECT_TRUE(refusal(whole, text).starts_with("model.file: tokenizer: pattern (a+)+$: cannot be matched")) << refusal(whole, text);
  TokenizerSpec normalizer = byte_level_spec({"he"});
  normalizer.normalizers = {{.type = "Replace", .pattern = "(a+)+$", .content = "x"}};
  EXPECT_TRUE(refusal(normalizer, text).starts_with("model.file: normalizer 0: tokenizer: pattern (a+)+$")) << refusal(normalizer, text);
}

TEST(Tokenizer, RefusesAddedTokensThatAreUnused) {
  TokenizerSpec spec = sentencepiece_spec(false);
  spec.kinds[kBos] = TokenKind::unused;
  spec.prefix = {};
  EXPECT_EQ(refusal(spec, "G s"), "accepted");
  EXPECT_TRUE(refusal(spec, "G <s>").starts_with("model.file: added token 1: is in the text")) << refusal(spec, "G <s>");
  EXPECT_EQ(Tokenizer(spec).encode(Prompt{{"G", false}, {"<s>", false}}).front(), kG);
}

TEST(Tokenizer, StripsNothingInNoTime) {
  TokenizerSpec spec = byte_level_spec({"he"});
  for (int id = 0; id < 100000; ++id) spec.pieces.push_back("a");
  spec.kinds.assign(spec.pieces.size(), TokenKind::normal);
  spec.decoders = {{.type = "Strip", .content = "", .start = 1 << 20}};
  EXPECT_EQ(Tokenizer(spec).piece(300), "a");
}

TEST(Tokenizer, AppliesRulesForTextToTextOnly) {
  TokenizerSpec spec = sentencepiece_spec(false);
  spec.decoders = {{.type = "ByteFallback"}, {.type = "ByteLevel"}, {.type = "Replace", .pattern = "\\w", .content = "-"}};
  const Tokenizer tokenizer(spec);
  for (int byte = 0x80; byte < 0x100; ++byte) EXPECT_EQ(tokenizer.piece(byte_id(byte)), std::string(1, static_cast<char>(byte)));
  EXPECT_EQ(tokenizer.piece(kG), "-");
}

TEST(Detokenizer, NeverGivesHalfACharacter) {
  const Tokenizer tokenizer(sentencepiece_spec(true));
  Detokenizer steps(tokenizer, true, true);
  EXPECT_EQ(steps.push(kBos), "");
  EXPECT_EQ(steps.push(kSpaceG), "G");
  EXPECT_EQ(steps.push(kSpaceG), " G");
  for (int byte : {0xf0, 0x9f, 0xa6}) EXPECT_EQ(steps.push(byte_id(byte)), "");
  EXPECT_EQ(steps.push(byte_id(0x99)), "🦙");
  EXPECT_EQ(steps.push(byte_id(0xe6)), "");
  EXPECT_EQ(steps.push(kG), "\ufffdG");  // can no longer become a character
  EXPECT_EQ(steps.push(byte_id(0xff)), "\ufffd");
  EXPECT_EQ(steps.push(byte_id(0xc3)), "");
  EXPECT_EQ(steps.finish(), "\ufffd");
  EXPECT_EQ(steps.finish(), "");
  const Ids broken{byte_id(0xf0), byte_id(0x9f), byte_id(0xf0), kBos, byte_id(0x9f), kG, byte_id(0xe6), byte_id(0x97)};
  std::string text;
  for (int32_t id : broken) text += steps.push(id);
  EXPECT_EQ(text + steps.finish(), "\ufffd\ufffdG\ufffd");
  EXPECT_EQ(tokenizer.decode(broken), "\ufffd\ufffdG\ufffd");
}

}  // namespace
}  // namespace hyalite
