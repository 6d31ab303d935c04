#include "base/tokenizer_spec_json.h"

#include <array>

#include "base/json_reader.h"
#include "base/tokenizer_check.h"

namespace hyalite {
namespace {

constexpr std::array<const char*, 4> kModels = {"bpe_bytes", "bpe_scores", "bpe_merges", "unigram"};
// One letter a piece, in the order of TokenKind.
constexpr std::string_view kKindLetters = "nucdpb";

Json pieces_to_json(const StringTable& pieces) {
  std::vector<uint32_t> lengths;
  lengths.reserve(pieces.size());
  for (size_t i = 0; i < pieces.size(); ++i) lengths.push_back(static_cast<uint32_t>(pieces[i].size()));
  return {{"text", pieces.text()}, {"bytes", lengths}};
}

std::string kinds_to_text(const std::vector<TokenKind>& kinds) {
  std::string text;
  for (TokenKind kind : kinds) text += kKindLetters[static_cast<size_t>(kind)];
  return text;
}

Json merges_to_json(const std::vector<TokenMerge>& merges) {
  std::vector<int32_t> ids;
  ids.reserve(merges.size() * 3);
  for (const TokenMerge& merge : merges) ids.insert(ids.end(), {merge.left, merge.right, merge.result});
  return ids;
}

Json rules_to_json(const std::vector<TextRule>& rules) {
  Json list = Json::array();
  for (const TextRule& r : rules)
    list.push_back({{"type", r.type},
                    {"pattern", r.pattern},
                    {"content", r.content},
                    {"behavior", r.behavior},
                    {"invert", r.invert},
                    {"flag", r.flag},
                    {"first_only", r.first_only},
                    {"use_regex", r.use_regex},
                    {"start", r.start},
                    {"stop", r.stop}});
  return list;
}

Json added_to_json(const std::vector<AddedToken>& tokens) {
  Json list = Json::array();
  for (const AddedToken& t : tokens)
    list.push_back({{"id", t.id},
                    {"text", t.text},
                    {"special", t.special},
                    {"lstrip", t.lstrip},
                    {"rstrip", t.rstrip},
                    {"single_word", t.single_word},
                    {"normalized", t.normalized}});
  return list;
}

StringTable pieces_from(const JsonReader& from) {
  const auto text = from.get<std::string>("text");
  const auto lengths = from.get<std::vector<uint32_t>>("bytes");
  StringTable pieces;
  pieces.reserve(lengths.size(), text.size());
  std::string_view left = text;
  for (uint32_t length : lengths) {
    if (length > left.size()) from.fail("pieces are longer than their text");
    pieces.push_back(left.substr(0, length));
    left.remove_prefix(length);
  }
  if (!left.empty()) from.fail("pieces are shorter than their text");
  return pieces;
}

std::vector<TokenKind> kinds_from(const JsonReader& from) {
  const auto text = from.get<std::string>("kinds");
  std::vector<TokenKind> kinds;
  kinds.reserve(text.size());
  for (char c : text) {
    const size_t kind = kKindLetters.find(c);
    if (kind == std::string_view::npos) from.fail("field kinds has an unknown kind");
    kinds.push_back(static_cast<TokenKind>(kind));
  }
  return kinds;
}

std::vector<TokenMerge> merges_from(const JsonReader& from) {
  const auto ids = from.get<std::vector<int32_t>>("merges");
  if (ids.size() % 3 != 0) from.fail("field merges is no list of triples");
  std::vector<TokenMerge> merges;
  merges.reserve(ids.size() / 3);
  for (size_t i = 0; i < ids.size(); i += 3) merges.push_back({ids[i], ids[i + 1], ids[i + 2]});
  return merges;
}

std::vector<TextRule> rules_from(const JsonReader& from, const char* name) {
  std::vector<TextRule> rules;
  from.each(name, [&](const JsonReader& one) {
    rules.push_back({.type = one.get<std::string>("type"),
                     .pattern = one.get<std::string>("pattern"),
                     .content = one.get<std::string>("content"),
                     .behavior = one.get<std::string>("behavior"),
                     .invert = one.get<bool>("invert"),
                     .flag = one.get<bool>("flag"),
                     .first_only = one.get<bool>("first_only"),
                     .use_regex = one.get<bool>("use_regex"),
                     .start = one.get<int>("start"),
                     .stop = one.get<int>("stop")});
  });
  return rules;
}

std::vector<AddedToken> added_from(const JsonReader& from) {
  std::vector<AddedToken> tokens;
  from.each("added", [&](const JsonReader& one) {
    tokens.push_back({.id = one.get<int32_t>("id"),
                      .text = one.get<std::string>("text"),
                      .special = one.get<bool>("special"),
                      .lstrip = one.get<bool>("lstrip"),
                      .rstrip = one.get<bool>("rstrip"),
                      .single_word = one.get<bool>("single_word"),
                      .normalized = one.get<bool>("normalized")});
  });
  return tokens;
}

}  // namespace

Json tokenizer_spec_to_json(const TokenizerSpec& spec) {
  return {{"model", kModels[static_cast<size_t>(spec.model)]},
          {"pre_name", spec.pre_name},
          {"ignore_merges", spec.ignore_merges},
          {"byte_fallback", spec.byte_fallback},
          {"fuse_unknown", spec.fuse_unknown},
          {"decode_added", spec.decode_added},
          {"bos", spec.bos},
          {"eos", spec.eos},
          {"pad", spec.pad},
          {"unk", spec.unk},
          {"prefix", spec.prefix},
          {"suffix", spec.suffix},
          {"end_of_generation", spec.end_of_generation},
          {"normalizers", rules_to_json(spec.normalizers)},
          {"pre_tokenizers", rules_to_json(spec.pre_tokenizers)},
          {"decoders", rules_to_json(spec.decoders)},
          {"added", added_to_json(spec.added)},
          {"chat_template", spec.chat_template},
          {"pieces", pieces_to_json(spec.pieces)},
          {"kinds", kinds_to_text(spec.kinds)},
          {"scores", spec.scores},
          {"merges", merges_to_json(spec.merges)}};
}

TokenizerSpec tokenizer_spec_from_json(const Json& json, const std::string& where) {
  const JsonReader from(json, where);
  TokenizerSpec spec;
  spec.model = static_cast<TokenizerModel>(from.one_of("model", kModels));
  spec.pre_name = from.get<std::string>("pre_name");
  spec.ignore_merges = from.get<bool>("ignore_merges");
  spec.byte_fallback = from.get<bool>("byte_fallback");
  spec.fuse_unknown = from.get<bool>("fuse_unknown");
  spec.decode_added = from.get<bool>("decode_added");
  spec.bos = from.get<int32_t>("bos");
  spec.eos = from.get<int32_t>("eos");
  spec.pad = from.get<int32_t>("pad");
  spec.unk = from.get<int32_t>("unk");
  spec.prefix = from.get<std::vector<int32_t>>("prefix");
  spec.suffix = from.get<std::vector<int32_t>>("suffix");
  spec.end_of_generation = from.get<std::vector<int32_t>>("end_of_generation");
  spec.normalizers = rules_from(from, "normalizers");
  spec.pre_tokenizers = rules_from(from, "pre_tokenizers");
  spec.decoders = rules_from(from, "decoders");
  spec.added = added_from(from);
  spec.chat_template = from.get<std::string>("chat_template");
  spec.pieces = pieces_from(from.object("pieces"));
  spec.kinds = kinds_from(from);
  spec.scores = from.get<std::vector<double>>("scores");
  spec.merges = merges_from(from);
  check_spec(spec, where);
  return spec;
}

}  // namespace hyalite
