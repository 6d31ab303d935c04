#include "text/splitter.h"

#include "base/error.h"
#include "base/utf8.h"
#include "text/regex.h"
#include "text/word_scanner.h"

namespace hyalite {
namespace {

class RegexFinder : public Finder {
 public:
  explicit RegexFinder(const std::string& pattern) : regex_(pattern) {}
  void find(std::string_view text, TextBudget& budget, FunctionRef<void(size_t, size_t)> match) const override {
    regex_.find_all(text, budget, match);
  }

 private:
  Regex regex_;
};

class WordFinder : public Finder {
 public:
  explicit WordFinder(const WordPattern& pattern) : pattern_(pattern) {}
  void find(std::string_view text, TextBudget&, FunctionRef<void(size_t, size_t)> match) const override {
    for (size_t at = 0; at < text.size();) {
      const size_t end = at + first_word(pattern_, text.substr(at));
      match(at, end);
      at = end;
    }
  }

 private:
  WordPattern pattern_;
};

class CharacterFinder : public Finder {
 public:
  explicit CharacterFinder(bool (*test)(char32_t)) : test_(test) {}
  void find(std::string_view text, TextBudget&, FunctionRef<void(size_t, size_t)> match) const override {
    for (size_t at = 0; at < text.size();) {
      const Character c = decode_character(text.substr(at));
      if (test_(c.code)) match(at, at + c.bytes);
      at += c.bytes;
    }
  }

 private:
  bool (*test_)(char32_t);
};

struct Part {
  size_t begin, end;
  bool is_match;
};

// Matches and what lies between them, in order.
void for_each_part(const Finder& finder, bool invert, std::string_view text, TextBudget& budget, FunctionRef<void(Part)> part) {
  size_t at = 0;
  finder.find(text, budget, [&](size_t begin, size_t end) {
    if (begin > at) part({at, begin, invert});
    part({begin, end, !invert});
    at = end;
  });
  if (at < text.size()) part({at, text.size(), invert});
}

// Joins each part to the one before it where `joins(before, part)`.
template <class Joins>
std::vector<Part> join_parts(const std::vector<Part>& parts, Joins joins) {
  std::vector<Part> out;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0 && joins(i))
      out.back().end = parts[i].end;
    else
      out.push_back(parts[i]);
  }
  return out;
}

std::vector<Part> merge_parts(std::vector<Part> parts, SplitBehavior behavior) {
  if (behavior == SplitBehavior::contiguous) return join_parts(parts, [&](size_t i) { return parts[i].is_match == parts[i - 1].is_match; });
  // In a run of matches only the one next to the other text joins it; the rest stay alone.
  if (behavior == SplitBehavior::merged_with_previous)
    return join_parts(parts, [&](size_t i) { return parts[i].is_match && !parts[i - 1].is_match; });
  return join_parts(parts, [&](size_t i) { return parts[i - 1].is_match && !parts[i].is_match; });
}

class Splitter : public PreTokenizerStage {
 public:
  Splitter(std::unique_ptr<Finder> finder, SplitBehavior behavior, bool invert)
      : finder_(std::move(finder)), behavior_(behavior), invert_(invert) {}

  void split(std::string_view text, bool at_start, TextBudget& budget, Next next) const override {
    const auto pass_on = [&](Part part) {
      if (part.end > part.begin) next(text.substr(part.begin, part.end - part.begin), at_start && part.begin == 0);
    };
    if (behavior_ == SplitBehavior::isolated) return for_each_part(*finder_, invert_, text, budget, pass_on);
    if (behavior_ == SplitBehavior::removed) {
      return for_each_part(*finder_, invert_, text, budget, [&](Part part) {
        if (!part.is_match) pass_on(part);
      });
    }
    std::vector<Part> parts;
    for_each_part(*finder_, invert_, text, budget, [&](Part part) { parts.push_back(part); });
    for (const Part& part : merge_parts(std::move(parts), behavior_)) pass_on(part);
  }

 private:
  std::unique_ptr<Finder> finder_;
  SplitBehavior behavior_;
  bool invert_;
};

}  // namespace

std::unique_ptr<Finder> make_pattern_finder(const std::string& pattern) {
  if (const WordPattern* words = find_word_pattern(pattern)) return std::make_unique<WordFinder>(*words);
  return std::make_unique<RegexFinder>(pattern);
}

std::unique_ptr<Finder> make_character_finder(bool (*test)(char32_t)) {
  return std::make_unique<CharacterFinder>(test);
}

SplitBehavior parse_split_behavior(const std::string& name) {
  if (name == "Removed") return SplitBehavior::removed;
  if (name == "Isolated") return SplitBehavior::isolated;
  if (name == "MergedWithPrevious") return SplitBehavior::merged_with_previous;
  if (name == "MergedWithNext") return SplitBehavior::merged_with_next;
  if (name == "Contiguous") return SplitBehavior::contiguous;
  throw Error(ErrorCode::unsupported, "tokenizer", "split behavior \"" + name + "\" is not known");
}

std::unique_ptr<PreTokenizerStage> make_splitter(std::unique_ptr<Finder> finder, SplitBehavior behavior, bool invert) {
  return std::make_unique<Splitter>(std::move(finder), behavior, invert);
}

}  // namespace hyalite
