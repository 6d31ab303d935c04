// The vocabulary and rules of a tokenizer as plain data: importers fill it from GGUF metadata or tokenizer.json, text/ runs it,
// the artifact keeps it (tokenizer_spec_json.h). No file format is visible here. All strings are valid UTF-8.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/string_table.h"

namespace hyalite {

// How pieces are found inside one pre-token.
enum class TokenizerModel : uint8_t {
  bpe_bytes,   // byte-level BPE (GPT-2): pieces are written in the GPT-2 byte alphabet, merges have ranks
  bpe_scores,  // SentencePiece BPE: the adjacent pair whose joined piece has the highest score merges first
  bpe_merges,  // merge-list BPE over Unicode characters with byte fallback (tokenizer.json of SentencePiece models)
  unigram,     // SentencePiece Unigram: Viterbi over scores
};

enum class TokenKind : uint8_t {
  normal,
  unknown,
  control,       // never written by user text, skipped by decode on request
  user_defined,  // matched before everything else
  unused,        // padding of the vocabulary: never produced, never to be sampled; texts with an added token of this kind are refused
  byte,          // <0x00> .. <0xFF>
};

// One step of a normalizer, pre-tokenizer or decoder pipeline, named as in tokenizer.json ("NFC", "Prepend", "Replace", "Lowercase",
// "StripAccents", "Strip", "Split", "Punctuation", "Digits", "ByteLevel", "Metaspace", "Whitespace", "Fuse", "ByteFallback", ...).
// text/ refuses types that it does not know.
struct TextRule {
  std::string type;
  std::string pattern;      // regular expression of Split and Replace; a literal pattern arrives quoted as \Q..\E
  std::string content;      // replacement; text of Prepend; the character of Strip and Metaspace; charsmap of Precompiled (base64)
  std::string behavior;     // Split and Punctuation: Removed, Isolated, MergedWithPrevious, MergedWithNext, Contiguous
  bool invert = false;      // Split
  bool flag = false;        // ByteLevel: add_prefix_space; Metaspace: prepend; Digits: individual_digits
  bool first_only = false;  // Metaspace: prepend_scheme "first"
  bool use_regex = true;    // ByteLevel: apply the GPT-2 pattern; Metaspace: split
  int start = 0, stop = 0;  // Strip: as a normalizer, 1 to strip that side; as a decoder, how many characters at most
  bool operator==(const TextRule&) const = default;
};

// The Replace rule of a text that is meant as it stands.
TextRule literal_replace(std::string_view from, std::string_view to);

// U+2581, which SentencePiece vocabularies write for a space.
inline constexpr char kSpaceMark[] = "\u2581";

struct AddedToken {
  int32_t id = 0;
  std::string text;
  bool special = false;  // a control token: recognised in trusted text only (see text/tokenizer.h)
  bool lstrip = false, rstrip = false, single_word = false, normalized = false;
  bool operator==(const AddedToken&) const = default;
};

// Ids of pieces: left and right next to each other may become result, whose text is both texts joined.
struct TokenMerge {
  int32_t left = 0, right = 0, result = 0;
  bool operator==(const TokenMerge&) const = default;
};

struct TokenizerSpec {
  TokenizerModel model = TokenizerModel::bpe_bytes;
  std::string pre_name;            // GGUF name of the published pre-tokenizer ("smollm", "qwen2", "llama-bpe", ...), for messages
  StringTable pieces;              // by id; bpe_bytes pieces stay in the GPT-2 byte alphabet; empty where an id has no piece
  std::vector<double> scores;      // by id; empty where the model has none
  std::vector<TokenKind> kinds;    // by id
  std::vector<TokenMerge> merges;  // in rank order
  bool ignore_merges = false;      // a whole pre-token that is a piece is taken without merging
  bool byte_fallback = false;
  bool fuse_unknown = false;      // a run of characters without a piece becomes one unknown token
  std::vector<AddedToken> added;  // matched before everything else, longest first
  bool decode_added = false;      // the decoders work on added tokens too; otherwise these are written as they are spelled
  std::vector<TextRule> normalizers, pre_tokenizers, decoders;
  std::vector<int32_t> prefix, suffix;  // ids that encode(add_special) puts around a single text (post-processor or add_bos/add_eos)
  int32_t bos = -1, eos = -1, pad = -1;
  int32_t unk = -1;                        // taken for characters without a piece; -1: they are dropped
  std::vector<int32_t> end_of_generation;  // every id that ends an answer (eos, eot, ...)
  std::string chat_template;               // Jinja source, empty where the model has none
  std::string file, template_file;         // that the tokenizer and the template were read from, for messages
  bool operator==(const TokenizerSpec&) const = default;
};

// The first id whose piece one of two vocabularies has and the other has not, with both pieces; nothing where there is none. A model may
// pad its vocabulary: ids that no text gives have no piece. The views are into the specs.
struct PieceDifference {
  int32_t id;
  std::string_view one, other;
};
std::optional<PieceDifference> first_difference(const TokenizerSpec& one, const TokenizerSpec& other);

// The byte that a piece "<0x0A>" stands for, or -1.
int byte_of_piece(std::string_view piece);

}  // namespace hyalite
