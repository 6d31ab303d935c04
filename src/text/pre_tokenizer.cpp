#include "text/pre_tokenizer.h"

#include "base/error.h"
#include "text/byte_alphabet.h"
#include "text/char_class.h"
#include "text/rule_place.h"
#include "text/splitter.h"
#include "text/word_scanner.h"

namespace hyalite {
namespace {

using Stages = std::vector<std::unique_ptr<PreTokenizerStage>>;

class SpacePrefixer : public PreTokenizerStage {
 public:
  void split(std::string_view text, bool at_start, TextBudget&, Next next) const override {
    if (text.starts_with(' ')) return next(text, at_start);
    next(" " + std::string(text), at_start);
  }
};

class ToByteAlphabet : public PreTokenizerStage {
 public:
  void split(std::string_view text, bool at_start, TextBudget&, Next next) const override { next(to_byte_alphabet(text), at_start); }
};

class FromByteAlphabet : public PreTokenizerStage {
 public:
  void split(std::string_view text, bool at_start, TextBudget&, Next next) const override {
    std::string bytes;
    const bool known = append_from_byte_alphabet(text, bytes);
    next(known ? std::string_view(bytes) : text, at_start);
  }
};

// Spaces become the visible mark, and a word that opens a text gets one.
class SpaceMarker : public PreTokenizerStage {
 public:
  explicit SpaceMarker(const TextRule& rule) : mark_(rule.content.empty() ? kSpaceMark : rule.content), rule_(rule) {}
  void split(std::string_view text, bool at_start, TextBudget&, Next next) const override {
    std::string marked;
    if (rule_.flag && (at_start || !rule_.first_only) && !text.starts_with(' ') && !text.starts_with(mark_)) marked = mark_;
    for (char c : text) {
      if (c == ' ')
        marked += mark_;
      else
        marked += c;
    }
    next(marked, at_start);
  }

 private:
  std::string mark_;
  TextRule rule_;
};

bool is_number(char32_t c) {
  return char_class(c) & kNumber;
}
bool is_space(char32_t c) {
  return char_class(c) & kSpace;
}
bool is_punctuation(char32_t c) {
  return char_class(c) & (c < 128 ? kPunctuation | kSymbol : kPunctuation);
}

void add_byte_level(const TextRule& rule, bool last, Stages& stages) {
  if (rule.flag) stages.push_back(std::make_unique<SpacePrefixer>());
  if (rule.use_regex) stages.push_back(make_splitter(make_pattern_finder(std::string(kGpt2Pattern)), SplitBehavior::isolated));
  if (!last) stages.push_back(std::make_unique<ToByteAlphabet>());
}

void add_metaspace(const TextRule& rule, Stages& stages) {
  if (rule.content.size() > 4) throw Error(ErrorCode::invalid_model, "tokenizer", "the mark of spaces is more than one character");
  stages.push_back(std::make_unique<SpaceMarker>(rule));
  if (!rule.use_regex) return;
  const std::string mark = rule.content.empty() ? kSpaceMark : rule.content;
  stages.push_back(make_splitter(make_pattern_finder("\\Q" + mark + "\\E"), SplitBehavior::merged_with_next));
}

void add_stage(const TextRule& rule, bool last, Stages& stages) {
  const std::string& type = rule.type;
  const auto split = [&](std::unique_ptr<Finder> finder, SplitBehavior behavior, bool invert = false) {
    stages.push_back(make_splitter(std::move(finder), behavior, invert));
  };
  const auto behavior_or = [&](const char* name) { return parse_split_behavior(rule.behavior.empty() ? name : rule.behavior); };
  if (type == "ByteLevel")
    add_byte_level(rule, last, stages);
  else if (type == "Metaspace")
    add_metaspace(rule, stages);
  else if (type == "Split")
    split(make_pattern_finder(rule.pattern), behavior_or("Isolated"), rule.invert);
  else if (type == "Digits")
    split(make_character_finder(is_number), rule.flag ? SplitBehavior::isolated : SplitBehavior::contiguous);
  else if (type == "Punctuation")
    split(make_character_finder(is_punctuation), behavior_or("Isolated"));
  else if (type == "WhitespaceSplit")
    split(make_character_finder(is_space), SplitBehavior::removed);
  else if (type == "Whitespace")
    split(make_pattern_finder(R"(\w+|[^\w\s]+)"), SplitBehavior::removed, true);
  else
    throw Error(ErrorCode::unsupported, "tokenizer", "pre-tokenizer \"" + type + "\" is not known");
}

}  // namespace

PreTokenizer::PreTokenizer(const std::vector<TextRule>& rules) {
  bool in_alphabet = false;
  for (size_t i = 0; i < rules.size(); ++i) {
    const bool last = i + 1 == rules.size();
    at_rule("pre_tokenizer", i, [&] { add_stage(rules[i], last, stages_); });
    in_alphabet |= rules[i].type == "ByteLevel" && !last;
    rules_.resize(stages_.size(), i);
  }
  if (in_alphabet) stages_.push_back(std::make_unique<FromByteAlphabet>());
  if (!rules.empty()) rules_.resize(stages_.size(), rules.size() - 1);
}

void PreTokenizer::split(std::string_view text, bool at_start, TextBudget& budget, FunctionRef<void(std::string_view)> word) const {
  if (!text.empty()) run(0, text, at_start, budget, word);
}

void PreTokenizer::run(size_t stage, std::string_view text, bool at_start, TextBudget& budget,
                       FunctionRef<void(std::string_view)> word) const {
  if (stage == stages_.size()) return word(text);
  stages_[stage]->split(text, at_start, budget, [&](std::string_view part, bool start) {
    at_rule("pre_tokenizer", rules_[stage], [&] { budget.take(part.size()); });
    run(stage + 1, part, start, budget, word);
  });
}

}  // namespace hyalite
