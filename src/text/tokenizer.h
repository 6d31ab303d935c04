// Text to token ids and back, by the rules of a TokenizerSpec.
//
//   added tokens -> normalizer -> pre-tokenizer -> BPE or Unigram         (encode)
//   bytes of each piece, joined                                           (decode)
//
// Ids equal those of the `tokenizers` package and of llama.cpp. Control tokens (AddedToken::special) are recognised in trusted text only:
// what a user writes stays text, whatever it spells. Bytes that are not UTF-8 are kept: each run of them is a word of its own, which
// the pieces of byte-level vocabularies and those with byte fallback give back unchanged.
//
// Beginning-of-sequence: encode(text, {.add_special = true}) writes the ids that the model wants around a plain text; the chat path
// encodes a Prompt, which never adds any, because a chat template spells them out. So either way there is exactly one.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/tokenizer_spec.h"
#include "text/prompt.h"

namespace hyalite {

struct EncodeOptions {
  bool add_special = true;    // TokenizerSpec::prefix and suffix around the ids
  bool parse_special = true;  // the text is trusted: control tokens in it are recognised
};

// Immutable; const methods may run in many threads at once.
class Tokenizer {
 public:
  // Throws Error{invalid_model} for a spec that contradicts itself, Error{unsupported} naming a rule that is not known.
  explicit Tokenizer(const TokenizerSpec& spec);
  ~Tokenizer();
  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) noexcept;

  // Throws Error{invalid_model} where a pattern of the tokenizer exceeds its step limit on this text, or the text has an added token that
  // is unused.
  std::vector<int32_t> encode(std::string_view text, EncodeOptions options = {}) const;
  // The spans as one text; nothing is put around them. Control tokens lie within one trusted span.
  std::vector<int32_t> encode(const Prompt& prompt) const;

  // Bytes of the text that encode() leaves out: a byte-level vocabulary may lack some, and have no unknown token for them.
  size_t lost_bytes(std::string_view text) const;

  // The bytes that a token adds inside a text; they need not be whole characters. Empty for ids outside the vocabulary (a model's head may
  // have padded rows).
  std::string_view piece(int32_t id) const;

  // The pieces as one text, with U+FFFD for what is not UTF-8 in it (valid_text). `skip_special` leaves control tokens out. The Detokenizer
  // gives the same text step by step.
  std::string decode(std::span<const int32_t> ids, bool skip_special = true) const;

  // `bytes` as the first of a text: without the space that encoding puts before a first word.
  std::string_view opening(std::string_view bytes) const;

  int32_t vocab_size() const;
  int32_t bos() const;  // -1: none
  int32_t eos() const;  // -1: none
  const std::vector<int32_t>& end_of_generation() const;
  bool is_end_of_generation(int32_t id) const;
  bool is_control(int32_t id) const;
  // Padding: no text gives this id and no model should sample it. True for ids outside the vocabulary.
  bool is_unused(int32_t id) const;
  // The id of the token or piece that is spelled so in the file ("<|im_end|>"), or -1.
  int32_t find(std::string_view spelling) const;

 private:
  struct Parts;
  std::unique_ptr<const Parts> parts_;
};

}  // namespace hyalite
