// What both tokenizer importers need to turn pieces and merges by text into ids.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/tokenizer_spec.h"

namespace hyalite {

// Merges of a BPE vocabulary, by the texts of their two parts.
class MergeBuilder {
 public:
  // `pieces` must outlive the builder; of equal pieces the first counts. `where` names the list in messages.
  MergeBuilder(const StringTable& pieces, std::string where);

  void reserve(size_t merges) { merges_.reserve(merges); }
  size_t size() const { return merges_.size(); }
  // Throws Error{invalid_model} where a part or the joined text is no piece.
  void add(std::string_view left, std::string_view right);
  std::vector<TokenMerge> take() { return std::move(merges_); }

 private:
  int32_t find(std::string_view piece) const;

  const StringTable& pieces_;
  StringIndex index_;
  std::string where_, joined_;
  std::vector<TokenMerge> merges_;
};

// Adds what "eos_token_id" of a JSON object says, an id or a list of them, to the ids that end an answer, in order and each once; false
// where it says nothing. Ids beyond the pieces and below `rows` are padding of the embedding, which never come, and are left out. Throws
// Error{invalid_model} naming the file for anything else.
bool add_answer_ends(const Json& json, const std::string& file, int64_t rows, TokenizerSpec& spec);

// Adds the control tokens that are known, by their text, to end an answer: for files that name only one of them.
void add_usual_answer_ends(TokenizerSpec& spec);

}  // namespace hyalite
