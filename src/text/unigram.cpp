// SentencePiece Unigram: of all ways to cut a word into pieces, the one with the highest sum of scores (Kudo 2018), by Viterbi over the
// positions of the word.
#include <algorithm>
#include <limits>

#include "base/utf8.h"
#include "text/prefix_matcher.h"
#include "text/word_model.h"

namespace hyalite {
namespace {

constexpr double kUnknownPenalty = 10;  // below the lowest score of the vocabulary (SentencePiece)
constexpr int32_t kUnknown = -1;

struct Step {
  double score = -std::numeric_limits<double>::infinity();  // of the best way that ends here
  uint32_t begin = 0;                                       // where its last piece begins
  int32_t id = kUnknown;
};

class Unigram : public WordModel {
 public:
  Unigram(const TokenizerSpec& spec, const Vocabulary& vocabulary) : vocabulary_(vocabulary), scores_(spec.scores), unk_(spec.unk) {
    std::vector<PrefixMatcher::Key> keys;
    for (int32_t id = 0; id < vocabulary.size(); ++id)
      if (!vocabulary.piece(id).empty() && vocabulary.find(vocabulary.piece(id)) == id) keys.push_back({vocabulary.piece(id), id});
    matcher_ = PrefixMatcher(std::move(keys));
    unknown_score_ = *std::min_element(scores_.begin(), scores_.end()) - kUnknownPenalty;
  }

  void encode(std::string_view word, std::vector<int32_t>& out) const override {
    const std::vector<Step> steps = best_steps(word);
    std::vector<uint32_t> ends;
    for (auto at = static_cast<uint32_t>(word.size()); at > 0; at = steps[at].begin) ends.push_back(at);
    const size_t start = out.size();
    for (size_t i = ends.size(); i-- > 0;) {
      const Step& step = steps[ends[i]];
      if (step.id != kUnknown)
        out.push_back(step.id);
      else
        append_unknown(word.substr(step.begin, ends[i] - step.begin), vocabulary_, unk_, true, start, out);
    }
  }

 private:
  // By end position: steps[word.size()] closes the best way. The first of equal ways wins.
  std::vector<Step> best_steps(std::string_view word) const {
    std::vector<Step> steps(word.size() + 1);
    steps[0].score = 0;
    for (uint32_t at = 0; at < word.size();) {
      const double here = steps[at].score;
      const uint32_t character = decode_character(word.substr(at)).bytes;
      bool single = false;
      const auto offer = [&](size_t bytes, double score, int32_t id) {
        Step& step = steps[at + bytes];
        if (here + score > step.score) step = {here + score, at, id};
      };
      matcher_.for_each_prefix(word.substr(at), [&](size_t bytes, int32_t id) {
        offer(bytes, scores_[static_cast<size_t>(id)], id);
        single |= bytes == character;
      });
      if (!single) offer(character, unknown_score_, kUnknown);
      at += character;
    }
    return steps;
  }

  const Vocabulary& vocabulary_;
  PrefixMatcher matcher_;
  std::vector<double> scores_;
  double unknown_score_ = 0;
  int32_t unk_;
};

}  // namespace

std::unique_ptr<WordModel> make_unigram(const TokenizerSpec& spec, const Vocabulary& vocabulary) {
  return std::make_unique<Unigram>(spec, vocabulary);
}

}  // namespace hyalite
