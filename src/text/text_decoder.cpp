#include "text/text_decoder.h"

#include <algorithm>
#include <memory>

#include "base/error.h"
#include "base/utf8.h"
#include "text/byte_alphabet.h"
#include "text/normalizer.h"
#include "text/rule_place.h"
#include "text/text_budget.h"
#include "text/vocabulary.h"

namespace hyalite {
namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCode::unsupported, "tokenizer", message);
}

std::string decode_bytes(const std::string& piece) {
  std::string out;
  return append_from_byte_alphabet(piece, out) ? out : piece;
}

std::string fall_back(const std::string& piece) {
  const int byte = byte_of_piece(piece);
  return byte < 0 ? piece : std::string(1, static_cast<char>(byte));
}

void strip_ends(const TextRule& rule, std::string& piece) {
  if (rule.content.empty()) return;
  std::string_view rest = piece;
  for (int i = 0; i < rule.start && rest.starts_with(rule.content); ++i) rest.remove_prefix(rule.content.size());
  for (int i = 0; i < rule.stop && rest.ends_with(rule.content); ++i) rest.remove_suffix(rule.content.size());
  piece = std::string(rest);
}

// The rules that work on one piece at a time, in order.
class PieceDecoder {
 public:
  // `index` is its place in the decoder, for messages.
  void add(const TextRule& rule, size_t index) {
    Step step{rule, index, nullptr};
    at_rule("decoder", index, [&] {
      if (rule.type == "Metaspace")
        step.replace = make_replace_step(literal_replace(rule.content.empty() ? kSpaceMark : rule.content, " "));
      if (rule.type == "Replace") step.replace = make_replace_step(rule);
    });
    steps_.push_back(std::move(step));
  }

  std::string decode(std::string_view text, TextBudget& budget) const {
    std::string piece(text);
    for (const Step& step : steps_)
      at_rule("decoder", step.index, [&] {
        apply(step, piece, budget);
        budget.take(piece.size());
      });
    return piece;
  }

 private:
  struct Step {
    TextRule rule;
    size_t index;
    std::unique_ptr<NormalizerStep> replace;
  };

  static void apply(const Step& step, std::string& piece, TextBudget& budget) {
    if (step.rule.type == "ByteFallback") {
      piece = fall_back(piece);
    } else if (step.rule.type == "Strip") {
      strip_ends(step.rule, piece);
    } else if (step.rule.type == "Prepend") {
      budget.check(step.rule.content.size() + piece.size());
      piece.insert(0, step.rule.content);
    } else if (valid_prefix(piece) != piece.size()) {
      return;  // part of a character, left by an earlier step: the other rules are for text
    } else if (step.replace) {
      piece = step.replace->apply(std::move(piece), budget);
    } else {
      piece = decode_bytes(piece);
    }
  }

  std::vector<Step> steps_;
};

bool is_known(const std::string& type) {
  constexpr std::string_view kTypes[] = {"ByteLevel", "ByteFallback", "Metaspace", "Prepend", "Replace", "Strip"};
  return std::find(std::begin(kTypes), std::end(kTypes), type) != std::end(kTypes);
}

}  // namespace

TextDecoder::TextDecoder(const TokenizerSpec& spec) {
  PieceDecoder decoder;
  bool fused = false;
  for (size_t i = 0; i < spec.decoders.size(); ++i) {
    const TextRule& rule = spec.decoders[i];
    if (rule.type == "Fuse") {
      fused = true;
    } else if (!is_known(rule.type)) {
      refuse("decoder \"" + rule.type + "\" is not known");
    } else if (fused) {
      if (rule.type != "Strip" || rule.stop > 0) refuse("decoder \"" + rule.type + "\" after \"Fuse\" needs the whole text");
      strip_ = rule.content;
      strip_at_most_ = rule.start;
    } else {
      decoder.add(rule, i);
      if (rule.type == "Metaspace" && rule.flag) {
        strip_ = " ";
        strip_at_most_ = 1;
      }
    }
  }
  std::vector<bool> literal(spec.pieces.size());
  for (const AddedToken& token : spec.added) literal.at(static_cast<size_t>(token.id)) = !spec.decode_added;
  bytes_.reserve(spec.pieces.size(), spec.pieces.text().size());
  TextBudget budget(spec.pieces.text().size());
  for (size_t i = 0; i < spec.pieces.size(); ++i) {
    if (literal[i])
      bytes_.push_back(spec.pieces[i]);
    else
      bytes_.push_back(decoder.decode(spec.pieces[i], budget));
  }
}

std::string_view TextDecoder::opening(std::string_view bytes) const {
  for (int i = 0; i < strip_at_most_ && !strip_.empty() && bytes.starts_with(strip_); ++i) bytes.remove_prefix(strip_.size());
  return bytes;
}

}  // namespace hyalite
