#include "importers/vocabulary_builder.h"

#include <algorithm>

#include "base/error.h"

namespace hyalite {
namespace {

// Control tokens that end an answer, whichever of them a file names as its end of sequence or of turn.
constexpr std::string_view kAnswerEnds[] = {"<|eot_id|>",
                                            "<|im_end|>",
                                            "<|end|>",
                                            "<|return|>",
                                            "<|call|>",
                                            "<|flush|>",
                                            "<|calls|>",
                                            "<end_of_turn>",
                                            "<|endoftext|>",
                                            "</s>",
                                            "<|eom_id|>",
                                            "<EOT>",
                                            "_<EOT>",
                                            "[EOT]",
                                            "[EOS]",
                                            "<|end_of_text|>",
                                            "<end_of_utterance>",
                                            "<eos>",
                                            "<turn|>",
                                            "[e~[",
                                            "<|user|>",
                                            "<|endofuser|>",
                                            "<｜end▁of▁sentence｜>"};

bool has_token(const TokenizerSpec& spec, std::string_view text) {
  return std::any_of(spec.added.begin(), spec.added.end(), [&](const AddedToken& token) { return token.text == text; });
}

}  // namespace

MergeBuilder::MergeBuilder(const StringTable& pieces, std::string where)
    : pieces_(pieces), index_(pieces.size()), where_(std::move(where)) {
  for (size_t i = 0; i < pieces.size(); ++i) index_.add(static_cast<int32_t>(i), pieces);
}

int32_t MergeBuilder::find(std::string_view piece) const {
  const int32_t id = index_.find(piece, pieces_);
  if (id < 0)
    throw Error(ErrorCode::invalid_model, where_,
                "merge " + std::to_string(merges_.size()) + " needs \"" + std::string(piece) + "\", which is no piece of the vocabulary");
  return id;
}

void MergeBuilder::add(std::string_view left, std::string_view right) {
  joined_.assign(left);
  joined_ += right;
  const int32_t left_id = find(left), right_id = find(right);
  merges_.push_back({left_id, right_id, find(joined_)});
}

bool add_answer_ends(const Json& json, const std::string& file, int64_t rows, TokenizerSpec& spec) {
  const auto eos = json.find("eos_token_id");
  if (eos == json.end() || eos->is_null()) return false;
  std::vector<int32_t>& ends = spec.end_of_generation;
  for (const Json& id : eos->is_array() ? *eos : Json::array({*eos})) {
    if (!id.is_number_integer()) throw Error(ErrorCode::invalid_model, file + ": eos_token_id", "is neither an id nor a list of ids");
    if (id < 0 || (id >= spec.pieces.size() && id >= rows))
      throw Error(ErrorCode::invalid_model, file + ": eos_token_id", "id " + id.dump() + " is outside the vocabulary");
    if (id < spec.pieces.size()) ends.push_back(id.get<int32_t>());
  }
  std::ranges::sort(ends);
  ends.erase(std::ranges::unique(ends).begin(), ends.end());
  return true;
}

void add_usual_answer_ends(TokenizerSpec& spec) {
  // Where calls and final answers have ends of their own ("harmony"), <|end|> only closes one of several messages.
  const bool many_messages = has_token(spec, "<|call|>") && has_token(spec, "<|return|>");
  for (const AddedToken& token : spec.added) {
    const bool known = std::find(std::begin(kAnswerEnds), std::end(kAnswerEnds), token.text) != std::end(kAnswerEnds);
    if (token.special && known && !(many_messages && token.text == "<|end|>")) spec.end_of_generation.push_back(token.id);
  }
}

}  // namespace hyalite
