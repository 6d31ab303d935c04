#include "text/tokenizer.h"

#include <algorithm>

#include "base/error.h"
#include "base/utf8.h"
#include "text/added_tokens.h"
#include "text/normalizer.h"
#include "text/pre_tokenizer.h"
#include "text/text_decoder.h"
#include "text/word_model.h"

namespace hyalite {
namespace {

// Whether a control token may stand at [begin, end) of the whole text.
using AllowSpecial = FunctionRef<bool(size_t begin, size_t end)>;

// Special tokens are always looked for in the text as it was written, so that a place in it can be trusted or not.
bool matches_normalized(const AddedToken& token) {
  return token.normalized && !token.special;
}

std::vector<AddedToken> written_tokens(const TokenizerSpec& spec) {
  std::vector<AddedToken> tokens;
  for (const AddedToken& token : spec.added)
    if (!matches_normalized(token)) tokens.push_back(token);
  return tokens;
}

std::vector<AddedToken> normalized_tokens(const TokenizerSpec& spec, const Normalizer& normalizer) {
  size_t bytes = 0;
  for (const AddedToken& token : spec.added) bytes += token.text.size();
  TextBudget budget(bytes);
  std::vector<AddedToken> tokens;
  for (AddedToken token : spec.added) {
    if (!matches_normalized(token)) continue;
    token.text = normalizer.apply(token.text, budget);
    tokens.push_back(std::move(token));
  }
  return tokens;
}

std::unique_ptr<WordModel> make_model(const TokenizerSpec& spec, const Vocabulary& vocabulary) {
  return spec.model == TokenizerModel::unigram ? make_unigram(spec, vocabulary) : make_bpe(spec, vocabulary);
}

// Bytes of the run of invalid UTF-8 at the start of `text`.
size_t invalid_prefix(std::string_view text) {
  size_t bytes = 0;
  while (bytes < text.size() && valid_sequence(text.substr(bytes)) == 0) ++bytes;
  return bytes;
}

Error in_file(const Error& error, const std::string& file) {
  return file.empty() ? error : Error(error.code(), file + ": " + error.where(), error.message());
}

}  // namespace

struct Tokenizer::Parts {
  explicit Parts(const TokenizerSpec& spec)
      : vocabulary(spec),
        normalizer(spec.normalizers),
        written(written_tokens(spec)),
        normalized(normalized_tokens(spec, normalizer)),
        pre_tokenizer(spec.pre_tokenizers),
        model(make_model(spec, vocabulary)),
        decoder(spec),
        prefix(spec.prefix),
        suffix(spec.suffix),
        end_of_generation(spec.end_of_generation),
        byte_words(spec.model == TokenizerModel::bpe_bytes),
        unk(spec.unk),
        bos(spec.bos),
        eos(spec.eos),
        file(spec.file) {
    for (const AddedToken& token : spec.added) spellings.push_back(token);
  }

  // Throws Error{invalid_model} naming the file and the rule that takes more of the text than its budget.
  void encode(std::string_view text, AllowSpecial allow, std::vector<int32_t>& out) const {
    try {
      TextBudget budget(text.size());
      encode_all(text, allow, budget, out);
    } catch (const Error& error) {
      throw in_file(error, file);
    }
  }

  void encode_all(std::string_view text, AllowSpecial allow, TextBudget& budget, std::vector<int32_t>& out) const {
    for (size_t at = 0; at < text.size();) {
      const size_t valid = valid_prefix(text.substr(at));
      if (valid > 0) encode_valid(text.substr(at, valid), at, allow, budget, out);
      at += valid;
      const size_t invalid = invalid_prefix(text.substr(at));
      if (invalid > 0) encode_invalid(text.substr(at, invalid), out);
      at += invalid;
    }
  }

  void encode_valid(std::string_view text, size_t offset, AllowSpecial allow, TextBudget& budget, std::vector<int32_t>& out) const {
    written.split(
        text, [&](size_t begin, size_t end) { return allow(offset + begin, offset + end); },
        [&](size_t begin, size_t end) { encode_written(text.substr(begin, end - begin), offset + begin == 0, budget, out); },
        [&](int32_t id) { append_added(id, out); });
  }

  void encode_written(std::string_view text, bool at_start, TextBudget& budget, std::vector<int32_t>& out) const {
    if (normalizer.empty()) return encode_normalized(text, at_start, budget, out);
    encode_normalized(normalizer.apply(text, budget), at_start, budget, out);
  }

  void encode_normalized(std::string_view text, bool at_start, TextBudget& budget, std::vector<int32_t>& out) const {
    const auto encode_word = [&](std::string_view word) { model->encode(word, out); };
    if (normalized.empty()) return pre_tokenizer.split(text, at_start, budget, encode_word);
    normalized.split(
        text, [](size_t, size_t) { return false; },
        [&](size_t begin, size_t end) {
          pre_tokenizer.split(text.substr(begin, end - begin), at_start && begin == 0, budget, encode_word);
        },
        [&](int32_t id) { append_added(id, out); });
  }

  void append_added(int32_t id, std::vector<int32_t>& out) const {
    if (vocabulary.kind(id) == TokenKind::unused)
      throw Error(ErrorCode::invalid_model, "added token " + std::to_string(id), "is in the text, but the model has no embedding for it");
    out.push_back(id);
  }

  void encode_invalid(std::string_view bytes, std::vector<int32_t>& out) const {
    if (byte_words)
      model->encode(bytes, out);
    else
      append_unknown(bytes, vocabulary, unk, true, out.size(), out);
  }

  Vocabulary vocabulary;
  Normalizer normalizer;
  AddedTokens written, normalized;
  PreTokenizer pre_tokenizer;
  std::unique_ptr<WordModel> model;
  TextDecoder decoder;
  std::vector<AddedToken> spellings;
  std::vector<int32_t> prefix, suffix, end_of_generation;
  bool byte_words;
  int32_t unk, bos, eos;
  std::string file;
};

Tokenizer::Tokenizer(const TokenizerSpec& spec) try : parts_(std::make_unique<const Parts>(spec)) {
} catch (const Error& error) {
  throw in_file(error, spec.file);
}
Tokenizer::~Tokenizer() = default;
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;

std::vector<int32_t> Tokenizer::encode(std::string_view text, EncodeOptions options) const {
  std::vector<int32_t> ids;
  ids.reserve(text.size() / 3 + 8);
  if (options.add_special) ids = parts_->prefix;
  parts_->encode(
      text, [&](size_t, size_t) { return options.parse_special; }, ids);
  if (options.add_special) ids.insert(ids.end(), parts_->suffix.begin(), parts_->suffix.end());
  return ids;
}

size_t Tokenizer::lost_bytes(std::string_view text) const {
  if (!parts_->byte_words || parts_->unk >= 0) return 0;
  return static_cast<size_t>(
      std::ranges::count_if(text, [&](char c) { return parts_->vocabulary.byte_token(static_cast<uint8_t>(c)) < 0; }));
}

std::vector<int32_t> Tokenizer::encode(const Prompt& prompt) const {
  std::string text;
  std::vector<size_t> begins;
  for (const PromptSpan& span : prompt) {
    begins.push_back(text.size());
    text += span.text;
  }
  const auto trusted = [&](size_t begin, size_t end) {
    const auto span = static_cast<size_t>(std::upper_bound(begins.begin(), begins.end(), begin) - begins.begin()) - 1;
    return prompt[span].trusted && end <= begins[span] + prompt[span].text.size();
  };
  std::vector<int32_t> ids;
  ids.reserve(text.size() / 3 + 8);
  parts_->encode(text, trusted, ids);
  return ids;
}

std::string_view Tokenizer::piece(int32_t id) const {
  return parts_->vocabulary.contains(id) ? parts_->decoder.bytes(id) : std::string_view();
}

std::string Tokenizer::decode(std::span<const int32_t> ids, bool skip_special) const {
  std::string text;
  bool opens_text = true;
  for (int32_t id : ids) {
    if (skip_special && is_control(id)) continue;
    const std::string_view bytes = piece(id);
    text += opens_text ? opening(bytes) : bytes;
    opens_text = opens_text && bytes.empty();
  }
  return valid_text(std::move(text));
}

std::string_view Tokenizer::opening(std::string_view bytes) const {
  return parts_->decoder.opening(bytes);
}

int32_t Tokenizer::vocab_size() const {
  return parts_->vocabulary.size();
}
int32_t Tokenizer::bos() const {
  return parts_->bos;
}
int32_t Tokenizer::eos() const {
  return parts_->eos;
}
const std::vector<int32_t>& Tokenizer::end_of_generation() const {
  return parts_->end_of_generation;
}

bool Tokenizer::is_end_of_generation(int32_t id) const {
  const std::vector<int32_t>& ids = parts_->end_of_generation;
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

bool Tokenizer::is_control(int32_t id) const {
  if (!parts_->vocabulary.contains(id)) return false;
  const TokenKind kind = parts_->vocabulary.kind(id);
  return kind == TokenKind::control || kind == TokenKind::unknown;
}

bool Tokenizer::is_unused(int32_t id) const {
  return !parts_->vocabulary.contains(id) || parts_->vocabulary.kind(id) == TokenKind::unused;
}

int32_t Tokenizer::find(std::string_view spelling) const {
  for (const AddedToken& token : parts_->spellings)
    if (token.text == spelling) return token.id;
  return parts_->vocabulary.find(spelling);
}

}  // namespace hyalite
