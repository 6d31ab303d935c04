// The published pre-tokenizers of byte-level vocabularies by the name that GGUF files give them ("tokenizer.ggml.pre").
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace hyalite {

struct PublishedPreTokenizer {
  std::span<const std::string_view> names;
  std::span<const std::string_view> patterns;  // each cuts what the ones before left: matches and gaps are words
  bool ignore_merges = false;                  // a word that is a piece is taken whole
  bool add_bos = false;                        // where the file does not say
};

// nullptr where no row has the name.
const PublishedPreTokenizer* find_published_pre_tokenizer(std::string_view name);

// The first name of the first row with these patterns; empty where there is none.
std::string_view name_of_published_pre_tokenizer(std::span<const std::string> patterns, bool ignore_merges);

}  // namespace hyalite
