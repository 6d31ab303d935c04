#include "base/tokenizer_check.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/tokenizer_limits.h"
#include "base/utf8.h"

namespace hyalite {
namespace {

class SpecCheck {
 public:
  SpecCheck(const TokenizerSpec& spec, const std::string& where) : spec_(spec), where_(where) {}

  void check_all() const {
    check_pieces();
    check_scores();
    for (const TokenMerge& merge : spec_.merges)
      for (int32_t id : {merge.left, merge.right, merge.result}) check_id(id, "merges");
    check_most(spec_.normalizers.size(), kMaxTextRules, "normalizer");
    check_most(spec_.pre_tokenizers.size(), kMaxTextRules, "pre_tokenizer");
    check_most(spec_.decoders.size(), kMaxTextRules, "decoder");
    check_most(spec_.prefix.size(), kMaxTemplateIds, "prefix");
    check_most(spec_.suffix.size(), kMaxTemplateIds, "suffix");
    for (const AddedToken& token : spec_.added) check_id(token.id, "added tokens");
    for (int32_t id : spec_.prefix) check_id(id, "prefix");
    for (int32_t id : spec_.suffix) check_id(id, "suffix");
    for (int32_t id : spec_.end_of_generation) check_id(id, "end of generation");
    for (int32_t id : {spec_.bos, spec_.eos, spec_.unk, spec_.pad})
      if (id != -1) check_id(id, "special ids");
  }

 private:
  [[noreturn]] void refuse(const char* field, const std::string& message) const {
    throw Error(ErrorCode::invalid_model, where_ + ": " + field, message);
  }

  void check_pieces() const {
    const StringTable& pieces = spec_.pieces;
    if (pieces.empty()) refuse("pieces", "the vocabulary is empty");
    if (pieces.size() > INT32_MAX || pieces.text().size() > kMaxPieceBytes) refuse("pieces", "the vocabulary is too large");
    for (size_t i = 0; i < pieces.size(); ++i)
      if (valid_prefix(pieces[i]) != pieces[i].size()) refuse("pieces", "piece " + std::to_string(i) + " is not valid UTF-8");
    if (spec_.kinds.size() != pieces.size()) refuse("kinds", "there must be one a piece");
  }

  void check_scores() const {
    const bool scored = spec_.model == TokenizerModel::bpe_scores || spec_.model == TokenizerModel::unigram;
    if (spec_.scores.size() != spec_.pieces.size() && (scored || !spec_.scores.empty())) refuse("scores", "there must be one a piece");
    if (!std::ranges::all_of(spec_.scores, [](double s) { return std::abs(s) <= std::numeric_limits<float>::max(); }))
      refuse("scores", "one is no finite float");
  }

  void check_most(size_t size, size_t most, const char* field) const {
    if (size > most) refuse(field, "has " + std::to_string(size) + " entries, more than " + std::to_string(most));
  }

  void check_id(int32_t id, const char* field) const {
    if (id < 0 || static_cast<size_t>(id) >= spec_.pieces.size())
      refuse(field, "id " + std::to_string(id) + " is outside the vocabulary of " + std::to_string(spec_.pieces.size()));
  }

  const TokenizerSpec& spec_;
  const std::string& where_;
};

}  // namespace

void check_spec(const TokenizerSpec& spec, const std::string& where) {
  SpecCheck(spec, where).check_all();
}

}  // namespace hyalite
