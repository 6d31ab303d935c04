#include "base/tokenizer_spec_json.h"

#include <algorithm>
#include <iterator>

#include "base/error.h"

namespace hyalite {
namespace {

constexpr const char* kModels[] = {"bpe_bytes", "bpe_scores", "bpe_merges", "unigram"};
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

StringTable pieces_from_json(const Json& json) {
  const auto& text = json.at("text").get_ref<const std::string&>();
  const Json& lengths = json.at("bytes");
  StringTable pieces;
  pieces.reserve(lengths.size(), text.size());
  size_t at = 0;
  for (const Json& length : lengths) {
    const size_t bytes = length.get<uint32_t>();
    if (bytes > text.size() - at) throw std::out_of_range("pieces are longer than their text");
    pieces.push_back(std::string_view(text).substr(at, bytes));
    at += bytes;
  }
  if (at != text.size()) throw std::out_of_range("pieces are shorter than their text");
  return pieces;
}

std::vector<TokenKind> kinds_from_text(const std::string& text) {
  std::vector<TokenKind> kinds;
  kinds.reserve(text.size());
  for (char c : text) {
    const size_t kind = kKindLetters.find(c);
    if (kind == std::string_view::npos) throw std::out_of_range("a kind is unknown");
    kinds.push_back(static_cast<TokenKind>(kind));
  }
  return kinds;
}

std::vector<TokenMerge> merges_from_json(const Json& json) {
  const auto ids = json.get<std::vector<int32_t>>();
  if (ids.size() % 3 != 0) throw std::out_of_range("merges are not triples");
  std::vector<TokenMerge> merges;
  merges.reserve(ids.size() / 3);
  for (size_t i = 0; i < ids.size(); i += 3) merges.push_back({ids[i], ids[i + 1], ids[i + 2]});
  return merges;
}

std::vector<TextRule> rules_from_json(const Json& json) {
  std::vector<TextRule> rules;
  for (const Json& r : json)
    rules.push_back({.type = r.at("type"),
                     .pattern = r.at("pattern"),
                     .content = r.at("content"),
                     .behavior = r.at("behavior"),
                     .invert = r.at("invert"),
                     .flag = r.at("flag"),
                     .first_only = r.at("first_only"),
                     .use_regex = r.at("use_regex"),
                     .start = r.at("start"),
                     .stop = r.at("stop")});
  return rules;
}

std::vector<AddedToken> added_from_json(const Json& json) {
  std::vector<AddedToken> tokens;
  for (const Json& t : json)
    tokens.push_back({.id = t.at("id"),
                      .text = t.at("text"),
                      .special = t.at("special"),
                      .lstrip = t.at("lstrip"),
                      .rstrip = t.at("rstrip"),
                      .single_word = t.at("single_word"),
                      .normalized = t.at("normalized")});
  return tokens;
}

TokenizerModel model_from_name(const std::string& name) {
  const auto* found = std::find(std::begin(kModels), std::end(kModels), name);
  if (found == std::end(kModels)) throw std::out_of_range("the model \"" + name + "\" is unknown");
  return static_cast<TokenizerModel>(found - kModels);
}

TokenizerSpec read_spec(const Json& json) {
  TokenizerSpec spec;
  spec.model = model_from_name(json.at("model"));
  spec.pre_name = json.at("pre_name");
  spec.ignore_merges = json.at("ignore_merges");
  spec.byte_fallback = json.at("byte_fallback");
  spec.fuse_unknown = json.at("fuse_unknown");
  spec.decode_added = json.value("decode_added", false);  // files of earlier builds do not say
  spec.bos = json.at("bos");
  spec.eos = json.at("eos");
  spec.pad = json.at("pad");
  spec.unk = json.at("unk");
  spec.prefix = json.at("prefix").get<std::vector<int32_t>>();
  spec.suffix = json.at("suffix").get<std::vector<int32_t>>();
  spec.end_of_generation = json.at("end_of_generation").get<std::vector<int32_t>>();
  spec.normalizers = rules_from_json(json.at("normalizers"));
  spec.pre_tokenizers = rules_from_json(json.at("pre_tokenizers"));
  spec.decoders = rules_from_json(json.at("decoders"));
  spec.added = added_from_json(json.at("added"));
  spec.chat_template = json.at("chat_template");
  spec.pieces = pieces_from_json(json.at("pieces"));
  spec.kinds = kinds_from_text(json.at("kinds").get_ref<const std::string&>());
  spec.scores = json.at("scores").get<std::vector<double>>();
  spec.merges = merges_from_json(json.at("merges"));
  return spec;
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
  try {
    return read_spec(json);
  } catch (const std::exception& error) {  // the JSON library's own errors (missing field, wrong type), and ours
    throw Error(ErrorCode::invalid_model, where, std::string("is no tokenizer: ") + error.what());
  }
}

}  // namespace hyalite
