#include "importers/tokenizer_json.h"

#include <algorithm>

#include "base/error.h"
#include "base/json.h"
#include "base/tokenizer_limits.h"
#include "importers/tokenizer_rules.h"
#include "importers/vocabulary_builder.h"

namespace hyalite {
namespace {

namespace fs = std::filesystem;

// The largest published files, of 260,000 tokens and their merges as pairs, hold half as much.
constexpr JsonLimits kLimits{.max_bytes = size_t{128} << 20, .max_values = size_t{4} << 20, .object = true};
constexpr int64_t kMaxGap = 1 << 16;  // ids that no piece has, beyond as many as there are pieces

// Reads one tokenizer.json. `where_` grows by the field that is read, for messages.
class TokenizerJson {
 public:
  TokenizerJson(const Json& root, std::string file) : root_(root), file_(std::move(file)) {}

  TokenizerSpec read() {
    const Json& model = member(root_, "model", "");
    if (!model.is_object()) refuse("model", "is no object");
    read_rules();
    read_model(model);
    read_added();
    read_merges(model);
    mark_byte_pieces();
    read_post_processor();
    return std::move(spec_);
  }

 private:
  [[noreturn]] void refuse(const std::string& field, const std::string& message) const {
    throw Error(ErrorCode::invalid_model, file_ + ": " + field, message);
  }
  [[noreturn]] void refuse_feature(const std::string& field, const std::string& message) const {
    throw Error(ErrorCode::unsupported, file_ + ": " + field, message);
  }

  const Json& member(const Json& object, const char* name, const std::string& field) const {
    const auto it = object.is_object() ? object.find(name) : object.end();
    if (!object.is_object() || it == object.end()) refuse(field.empty() ? name : field + "." + name, "is missing");
    return *it;
  }

  void read_rules() {
    const RuleReader rules(file_);
    spec_.normalizers = rules.normalizers(value_or_null("normalizer"));
    spec_.pre_tokenizers = rules.pre_tokenizers(value_or_null("pre_tokenizer"));
    const Json decoder = value_or_null("decoder");
    spec_.decoders = decoder.is_null() ? spaces_between() : rules.decoders(decoder);
    spec_.decode_added = true;
  }

  // What `tokenizers` does where a file has no decoder.
  static std::vector<TextRule> spaces_between() {
    return {{.type = "Prepend", .content = " "}, {.type = "Fuse"}, {.type = "Strip", .content = " ", .start = 1}};
  }

  Json value_or_null(const char* name) const { return root_.is_object() ? root_.value(name, Json()) : Json(); }

  void read_model(const Json& model) {
    const std::string type = text(model, "model", "type", model.contains("merges") ? "BPE" : "");
    if (type == "BPE")
      read_bpe(model);
    else if (type == "Unigram")
      read_unigram(model);
    else
      refuse_feature("model.type", "tokenizer model \"" + type + "\" is not known");
  }

  void read_bpe(const Json& model) {
    for (const char* name : {"continuing_subword_prefix", "end_of_word_suffix"})
      if (!text(model, "model", name, "").empty()) refuse_feature("model." + std::string(name), "BPE with affixes is not known");
    if (model.contains("dropout") && !model.at("dropout").is_null() && model.at("dropout") != 0.0)
      refuse_feature("model.dropout", "random merges are not known");
    const bool bytes = std::any_of(spec_.pre_tokenizers.begin(), spec_.pre_tokenizers.end(),
                                   [](const TextRule& rule) { return rule.type == "ByteLevel"; });
    spec_.model = bytes ? TokenizerModel::bpe_bytes : TokenizerModel::bpe_merges;
    spec_.byte_fallback = flag(model, "model", "byte_fallback", false);
    spec_.fuse_unknown = flag(model, "model", "fuse_unk", false);
    spec_.ignore_merges = flag(model, "model", "ignore_merges", false);
    const Json& vocab = member(model, "vocab", "model");
    if (!vocab.is_object()) refuse("model.vocab", "is no object");
    std::vector<std::pair<std::string_view, int64_t>> pieces;
    pieces.reserve(vocab.size());
    for (const auto& [piece, id] : vocab.get_ref<const Json::object_t&>()) {
      if (!id.is_number_integer()) refuse("model.vocab", "the id of \"" + piece + "\" is no integer");
      pieces.emplace_back(piece, id.get<int64_t>());
    }
    place_pieces(pieces);
    const std::string unknown = text(model, "model", "unk_token", "");
    if (!unknown.empty()) spec_.unk = find_piece(unknown, "model.unk_token");
  }

  void read_unigram(const Json& model) {
    spec_.model = TokenizerModel::unigram;
    spec_.fuse_unknown = true;
    spec_.byte_fallback = flag(model, "model", "byte_fallback", false);
    const Json& vocab = member(model, "vocab", "model");
    if (!vocab.is_array()) refuse("model.vocab", "is no list");
    for (const Json& entry : vocab) {
      if (!entry.is_array() || entry.size() != 2 || !entry[0].is_string() || !entry[1].is_number())
        refuse("model.vocab", "entry " + std::to_string(spec_.pieces.size()) + " is not a piece with its score");
      spec_.pieces.push_back(entry[0].get_ref<const std::string&>());
      spec_.scores.push_back(entry[1].get<double>());
    }
    spec_.kinds.assign(spec_.pieces.size(), TokenKind::normal);
    const Json unknown = model.value("unk_id", Json());
    if (unknown.is_null()) return;
    spec_.unk = checked_id(unknown, static_cast<int64_t>(spec_.pieces.size()), "model.unk_id");
  }

  int32_t checked_id(const Json& id, int64_t limit, const std::string& field) const {
    const bool fits = id.is_number_integer() && id.get<int64_t>() >= 0 && id.get<int64_t>() < limit &&
                      (!id.is_number_unsigned() || id.get<uint64_t>() < static_cast<uint64_t>(limit));
    if (!fits) refuse(field, "id " + id.dump() + " is not one of 0 to " + std::to_string(limit - 1));
    return id.get<int32_t>();
  }

  // Pieces by their ids. Ids may leave gaps, which become unused tokens.
  void place_pieces(const std::vector<std::pair<std::string_view, int64_t>>& pieces) {
    const int64_t limit = 2 * static_cast<int64_t>(pieces.size()) + kMaxGap;
    std::vector<std::string_view> by_id;
    std::vector<bool> taken;
    size_t bytes = 0;
    for (const auto& [piece, id] : pieces) {
      const auto slot = static_cast<size_t>(checked_id(id, limit, "model.vocab"));
      if (slot >= by_id.size()) {
        by_id.resize(slot + 1);
        taken.resize(slot + 1);
      }
      if (taken[slot]) refuse("model.vocab", "id " + std::to_string(id) + " is taken by two pieces");
      taken[slot] = true;
      by_id[slot] = piece;
      bytes += piece.size();
    }
    spec_.pieces.reserve(by_id.size(), bytes);
    for (size_t id = 0; id < by_id.size(); ++id) {
      spec_.pieces.push_back(by_id[id]);
      spec_.kinds.push_back(taken[id] ? TokenKind::normal : TokenKind::unused);
    }
  }

  int32_t find_piece(std::string_view piece, const std::string& field) const {
    for (size_t id = 0; id < spec_.pieces.size(); ++id)
      if (spec_.pieces[id] == piece && spec_.kinds[id] != TokenKind::unused) return static_cast<int32_t>(id);
    refuse(field, "\"" + std::string(piece) + "\" is no piece of the vocabulary");
  }

  // Added tokens may lie above the base vocabulary, or name pieces of it.
  void read_added() {
    const Json list = value_or_null("added_tokens");
    if (list.is_null()) return;
    if (!list.is_array()) refuse("added_tokens", "is no list");
    const int64_t limit = 2 * static_cast<int64_t>(spec_.pieces.size() + list.size()) + kMaxGap;
    for (const Json& entry : list) {
      AddedToken token;
      token.id = checked_id(member(entry, "id", "added_tokens"), limit, "added_tokens");
      token.text = text(entry, "added_tokens", "content", "");
      token.special = flag(entry, "added_tokens", "special", false);
      token.lstrip = flag(entry, "added_tokens", "lstrip", false);
      token.rstrip = flag(entry, "added_tokens", "rstrip", false);
      token.single_word = flag(entry, "added_tokens", "single_word", false);
      token.normalized = flag(entry, "added_tokens", "normalized", !token.special);
      if (!token.text.empty()) spec_.added.push_back(std::move(token));
    }
    place_added();
  }

  void place_added() {
    size_t size = spec_.pieces.size();
    for (const AddedToken& token : spec_.added) size = std::max(size, static_cast<size_t>(token.id) + 1);
    std::vector<const AddedToken*> by_id(size);
    for (const AddedToken& token : spec_.added) {
      const AddedToken*& slot = by_id[static_cast<size_t>(token.id)];
      if (slot != nullptr && slot->text != token.text) refuse("added_tokens", "id " + std::to_string(token.id) + " is taken by two tokens");
      slot = &token;
    }
    StringTable pieces;
    pieces.reserve(size, spec_.pieces.text().size());
    const size_t base = spec_.pieces.size();
    spec_.kinds.resize(size, TokenKind::unused);
    if (!spec_.scores.empty()) spec_.scores.resize(size, 0.0);
    for (size_t id = 0; id < size; ++id) {
      const std::string_view piece = id < base ? spec_.pieces[id] : std::string_view();
      const AddedToken* token = by_id[id];
      const bool known = id < base && spec_.kinds[id] != TokenKind::unused;
      if (token != nullptr && known && piece != token->text)
        refuse("added_tokens",
               "id " + std::to_string(id) + " is \"" + std::string(piece) + "\" in the vocabulary, not \"" + token->text + "\"");
      pieces.push_back(token != nullptr ? std::string_view(token->text) : piece);
      if (token != nullptr && token->special)
        spec_.kinds[id] = TokenKind::control;
      else if (token != nullptr && !known)
        spec_.kinds[id] = TokenKind::user_defined;
    }
    spec_.pieces = std::move(pieces);
  }

  void read_merges(const Json& model) {
    if (spec_.model == TokenizerModel::unigram) return;
    const Json& merges = member(model, "merges", "model");
    if (!merges.is_array()) refuse("model.merges", "is no list");
    MergeBuilder builder(spec_.pieces, file_ + ": model.merges");
    builder.reserve(merges.size());
    for (const Json& merge : merges) {
      if (merge.is_string()) {
        const std::string_view both = merge.get_ref<const std::string&>();
        const size_t space = both.find(' ', 1);
        if (space == std::string_view::npos || both.find(' ', space + 1) != std::string_view::npos)
          refuse("model.merges", "entry " + std::to_string(builder.size()) + " is not two pieces with a space between them");
        builder.add(both.substr(0, space), both.substr(space + 1));
      } else if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string()) {
        builder.add(merge[0].get_ref<const std::string&>(), merge[1].get_ref<const std::string&>());
      } else {
        refuse("model.merges", "entry " + std::to_string(builder.size()) + " is not two pieces");
      }
    }
    spec_.merges = builder.take();
  }

  void mark_byte_pieces() {
    if (!spec_.byte_fallback || spec_.model == TokenizerModel::bpe_bytes) return;
    for (size_t id = 0; id < spec_.pieces.size(); ++id)
      if (spec_.kinds[id] == TokenKind::normal && byte_of_piece(spec_.pieces[id]) >= 0) spec_.kinds[id] = TokenKind::byte;
  }

  void read_post_processor() {
    const Json processor = value_or_null("post_processor");
    if (!processor.is_null()) add_post_processor(processor, 0);
  }

  void add_post_processor(const Json& processor, int depth) {
    const std::string type = text(processor, "post_processor", "type", "");
    if (type == "Sequence" && depth < 8) {
      for (const Json& part : member(processor, "processors", "post_processor")) add_post_processor(part, depth + 1);
    } else if (type == "TemplateProcessing") {
      add_template(processor);
    } else if (type == "RobertaProcessing" || type == "BertProcessing") {
      spec_.prefix.push_back(pair_id(member(processor, "cls", "post_processor")));
      spec_.suffix.push_back(pair_id(member(processor, "sep", "post_processor")));
    } else if (type != "ByteLevel") {  // which only moves offsets
      refuse_feature("post_processor", "post-processor \"" + type + "\" is not known");
    }
  }

  int32_t pair_id(const Json& pair) const {
    if (!pair.is_array() || pair.size() != 2) refuse("post_processor", "a token with its id is expected");
    return checked_id(pair[1], static_cast<int64_t>(spec_.pieces.size()), "post_processor");
  }

  void add_template(const Json& processor) {
    const Json& single = member(processor, "single", "post_processor");
    check_template_size(single.size());
    bool after_text = false;
    for (const Json& item : single) {
      if (item.is_object() && item.contains("Sequence")) {
        after_text = true;
        continue;
      }
      const std::string name = text(member(item, "SpecialToken", "post_processor.single"), "post_processor.single", "id", "");
      const Json& token = member(member(processor, "special_tokens", "post_processor"), name.c_str(), "post_processor.special_tokens");
      std::vector<int32_t>& ids = after_text ? spec_.suffix : spec_.prefix;
      for (const Json& id : member(token, "ids", "post_processor.special_tokens")) {
        check_template_size(ids.size() + 1);
        ids.push_back(checked_id(id, static_cast<int64_t>(spec_.pieces.size()), "post_processor.special_tokens"));
      }
    }
  }

  void check_template_size(size_t size) const {
    if (size > kMaxTemplateIds) refuse("post_processor.single", "has more than " + std::to_string(kMaxTemplateIds) + " tokens");
  }

  std::string text(const Json& object, const std::string& field, const char* name, const char* otherwise) const {
    return json_text(object, file_, field, name, otherwise);
  }
  bool flag(const Json& object, const std::string& field, const char* name, bool otherwise) const {
    return json_flag(object, file_, field, name, otherwise);
  }

  const Json& root_;
  std::string file_;
  TokenizerSpec spec_;
};

}  // namespace

TokenizerSpec import_tokenizer_json(std::string_view text, const std::string& where) {
  const Json root = parse_json(text, where, kLimits);
  return TokenizerJson(root, where).read();
}

TokenizerSpec import_tokenizer_directory(const fs::path& directory, SourceFiles& files) {
  const std::string file = (directory / "tokenizer.json").string();
  const Json root = read_source_json(file, kLimits, files);
  TokenizerSpec spec = TokenizerJson(root, file).read();
  spec.file = file;
  read_tokenizer_config(directory, spec, files);
  return spec;
}

}  // namespace hyalite
