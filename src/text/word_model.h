// What turns one word into token ids: BPE or Unigram.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/tokenizer_spec.h"
#include "text/vocabulary.h"

namespace hyalite {

// Thread-safe const methods.
class WordModel {
 public:
  virtual ~WordModel() = default;
  // Appends the ids of a non-empty word. Bytes that are not UTF-8 are legal for bpe_bytes only.
  virtual void encode(std::string_view word, std::vector<int32_t>& out) const = 0;
};

// `vocabulary` must outlive the model.
std::unique_ptr<WordModel> make_bpe(const TokenizerSpec& spec, const Vocabulary& vocabulary);
std::unique_ptr<WordModel> make_unigram(const TokenizerSpec& spec, const Vocabulary& vocabulary);

// Appends what stands for text without a piece: its byte tokens where the vocabulary has them all, else `unk` (nothing where that is -1).
// With `fuse`, no second `unk` directly after one that ends `out` at or after `word_start`.
void append_unknown(std::string_view text, const Vocabulary& vocabulary, int32_t unk, bool fuse, size_t word_start,
                    std::vector<int32_t>& out);

}  // namespace hyalite
