// Byte-pair encoding in its three kinds, which differ in what the first symbols are and in which pairs may merge at what rank.
#include <algorithm>
#include <atomic>
#include <bit>
#include <functional>

#include "base/utf8.h"
#include "text/merge_table.h"
#include "text/word_model.h"

namespace hyalite {
namespace {

constexpr size_t kShortWord = 48;  // symbols; below, a scan for the best pair beats a heap

struct Symbol {
  int32_t id = -1;  // -1: a character without a piece
  uint32_t begin = 0, end = 0;
};

// Which pairs merge, by the list of merges.
class RankedPairs {
 public:
  explicit RankedPairs(const TokenizerSpec& spec) : table_(spec.merges) {}
  Merge find(std::string_view, const Symbol& left, const Symbol& right) const { return table_.find(left.id, right.id); }

 private:
  MergeTable table_;
};

// Which pairs merge, by the score of the joined piece: the highest first.
class ScoredPairs {
 public:
  ScoredPairs(const TokenizerSpec& spec, const Vocabulary& vocabulary) : vocabulary_(vocabulary) {
    ranks_.reserve(spec.scores.size());
    for (double score : spec.scores) ranks_.push_back(rank_of(static_cast<float>(score)));
  }
  Merge find(std::string_view word, const Symbol& left, const Symbol& right) const {
    const size_t bytes = right.end - left.begin;
    if (bytes > vocabulary_.longest_piece()) return {};
    const int32_t id = vocabulary_.find(word.substr(left.begin, bytes));
    return id < 0 ? Merge{} : Merge{ranks_[static_cast<size_t>(id)], id};
  }

 private:
  // Orders as the negated score does, in unsigned integers.
  static uint32_t rank_of(float score) {
    const auto bits = std::bit_cast<uint32_t>(score == 0 ? 0.0f : score);
    const uint32_t ascending = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
    return std::min(~ascending, Merge::kNone - 1);
  }

  const Vocabulary& vocabulary_;
  std::vector<uint32_t> ranks_;
};

// Merges the best pair (lowest rank, then leftmost) until none is left.
template <class Pairs>
void merge_short(std::string_view word, const Pairs& pairs, std::vector<Symbol>& symbols) {
  Merge merges[kShortWord];  // of symbols i and i + 1
  size_t n = symbols.size();
  for (size_t i = 0; i + 1 < n; ++i) merges[i] = pairs.find(word, symbols[i], symbols[i + 1]);
  while (n > 1) {
    size_t best = 0;
    for (size_t i = 1; i + 1 < n; ++i)
      if (merges[i].rank < merges[best].rank) best = i;
    if (merges[best].rank == Merge::kNone) break;
    symbols[best] = {merges[best].id, symbols[best].begin, symbols[best + 1].end};
    std::copy(symbols.begin() + static_cast<ptrdiff_t>(best) + 2, symbols.begin() + static_cast<ptrdiff_t>(n),
              symbols.begin() + static_cast<ptrdiff_t>(best) + 1);
    --n;
    if (best + 1 < n) {
      std::copy(merges + best + 2, merges + n, merges + best + 1);
      merges[best] = pairs.find(word, symbols[best], symbols[best + 1]);
    }
    if (best > 0) merges[best - 1] = pairs.find(word, symbols[best - 1], symbols[best]);
  }
  symbols.resize(n);
}

// The same for words of any length, in n log n: a heap of pairs over a linked list of symbols.
template <class Pairs>
class LongMerge {
 public:
  LongMerge(std::string_view word, const Pairs& pairs, std::vector<Symbol>& symbols)
      : word_(word), pairs_(pairs), symbols_(symbols), links_(symbols.size()) {}

  void run() {
    const auto n = static_cast<uint32_t>(symbols_.size());
    heap_.reserve(n);
    for (uint32_t i = 0; i < n; ++i) {
      links_[i] = {i - 1, i + 1, {}};
      if (find_merge(i)) heap_.push_back(key(i));
    }
    std::ranges::make_heap(heap_, std::greater());
    while (!heap_.empty()) {
      std::ranges::pop_heap(heap_, std::greater());
      const uint64_t best = heap_.back();
      heap_.pop_back();
      const auto left = static_cast<uint32_t>(best);
      if (key(left) == best) join(left);
    }
    size_t kept = 0;
    for (uint32_t i = 0; i < n; i = links_[i].next) symbols_[kept++] = symbols_[i];
    symbols_.resize(kept);
  }

 private:
  struct Link {
    uint32_t previous, next;
    Merge merge;  // of this symbol and the next; none where this symbol is joined to the one before
  };

  // Orders pairs: the rank, then the place. A key whose rank is no longer that of its place has been overtaken by another merge.
  uint64_t key(uint32_t left) const { return uint64_t{links_[left].merge.rank} << 32 | left; }

  // Whether the symbol merges with the next one.
  bool find_merge(uint32_t left) {
    Link& link = links_[left];
    link.merge = link.next < symbols_.size() ? pairs_.find(word_, symbols_[left], symbols_[link.next]) : Merge{};
    return link.merge.rank != Merge::kNone;
  }
  void push(uint32_t left) {
    if (!find_merge(left)) return;
    heap_.push_back(key(left));
    std::ranges::push_heap(heap_, std::greater());
  }
  void join(uint32_t left) {
    Link& link = links_[left];
    Link& right = links_[link.next];
    symbols_[left] = {link.merge.id, symbols_[left].begin, symbols_[link.next].end};
    right.merge = {};
    link.next = right.next;
    if (link.next < symbols_.size()) links_[link.next].previous = left;
    push(left);
    if (link.previous < symbols_.size()) push(link.previous);
  }

  std::string_view word_;
  const Pairs& pairs_;
  std::vector<Symbol>& symbols_;
  std::vector<Link> links_;
  std::vector<uint64_t> heap_;  // the smallest key first
};

// Where SentencePiece words may be cut without changing a merge: before U+2581, unless some piece has it after the byte before.
class SafeCuts {
 public:
  explicit SafeCuts(const Vocabulary& vocabulary) {
    for (int32_t id = 0; id < vocabulary.size(); ++id) {
      const std::string_view piece = vocabulary.piece(id);
      for (size_t at = piece.find(kSpaceMark, 1); at != std::string_view::npos; at = piece.find(kSpaceMark, at + 1))
        joins_[static_cast<uint8_t>(piece[at - 1])] = true;
    }
  }

  // The end of the first part of a non-empty word.
  size_t first_part(std::string_view word) const {
    for (size_t at = word.find(kSpaceMark, 1); at != std::string_view::npos; at = word.find(kSpaceMark, at + 1))
      if (!joins_[static_cast<uint8_t>(word[at - 1])]) return at;
    return word.size();
  }

 private:
  bool joins_[256] = {};
};

template <class Pairs>
class Bpe : public WordModel {
 public:
  Bpe(const TokenizerSpec& spec, const Vocabulary& vocabulary, Pairs pairs)
      : vocabulary_(vocabulary),
        pairs_(std::move(pairs)),
        model_(spec.model),
        unk_(spec.unk),
        fuse_unknown_(spec.fuse_unknown),
        ignore_merges_(spec.ignore_merges),
        alone_(std::make_unique<std::atomic<Alone>[]>(spec.pieces.size())) {
    if (model_ != TokenizerModel::bpe_bytes) cuts_ = std::make_unique<SafeCuts>(vocabulary);
  }

  void encode(std::string_view word, std::vector<int32_t>& out) const override {
    if (!cuts_ || ignore_merges_) return encode_part(word, out);
    while (!word.empty()) {
      const size_t bytes = cuts_->first_part(word);
      encode_part(word.substr(0, bytes), out);
      word.remove_prefix(bytes);
    }
  }

 private:
  // Whether merging the text of a piece gives that piece: most words are such pieces, and need no merging once that is known.
  enum class Alone : uint8_t { not_known, yes, no };

  void encode_part(std::string_view word, std::vector<int32_t>& out) const {
    const int32_t whole = word.size() <= vocabulary_.longest_piece() ? vocabulary_.find(word) : -1;
    if (whole >= 0) {
      // A race only repeats work: every thread finds the same answer.
      std::atomic<Alone>& alone = alone_[static_cast<size_t>(whole)];
      if (ignore_merges_ || alone.load(std::memory_order_relaxed) == Alone::yes) return out.push_back(whole);
      const size_t before = out.size();
      merge_word(word, out);
      alone.store(out.size() == before + 1 && out.back() == whole ? Alone::yes : Alone::no, std::memory_order_relaxed);
      return;
    }
    merge_word(word, out);
  }

  void merge_word(std::string_view word, std::vector<int32_t>& out) const {
    std::vector<Symbol> symbols;
    symbols.reserve(word.size());
    if (model_ == TokenizerModel::bpe_bytes)
      add_bytes(word, 0, symbols);
    else
      add_characters(word, symbols);
    if (symbols.size() <= kShortWord)
      merge_short(word, pairs_, symbols);
    else
      LongMerge<Pairs>(word, pairs_, symbols).run();
    const size_t start = out.size();
    for (const Symbol& symbol : symbols) {
      if (symbol.id >= 0)
        out.push_back(symbol.id);
      else
        append_unknown(word.substr(symbol.begin, symbol.end - symbol.begin), vocabulary_, unk_, fuse_unknown_, start, out);
    }
  }

  void add_bytes(std::string_view bytes, size_t offset, std::vector<Symbol>& symbols) const {
    for (size_t i = 0; i < bytes.size(); ++i) {
      const int32_t id = vocabulary_.byte_token(static_cast<uint8_t>(bytes[i]));
      const auto begin = static_cast<uint32_t>(offset + i);
      // As in `tokenizers`, what has neither a piece nor an unknown token is gone before anything merges.
      if (id >= 0 || unk_ >= 0) symbols.push_back({id, begin, begin + 1});
    }
  }

  void add_characters(std::string_view word, std::vector<Symbol>& symbols) const {
    for (size_t at = 0; at < word.size();) {
      const size_t bytes = decode_character(word.substr(at)).bytes;
      const auto begin = static_cast<uint32_t>(at);
      symbols.push_back({vocabulary_.find(word.substr(at, bytes)), begin, begin + static_cast<uint32_t>(bytes)});
      at += bytes;
    }
  }

  const Vocabulary& vocabulary_;
  Pairs pairs_;
  TokenizerModel model_;
  int32_t unk_;
  bool fuse_unknown_, ignore_merges_;
  std::unique_ptr<SafeCuts> cuts_;
  std::unique_ptr<std::atomic<Alone>[]> alone_;
};

}  // namespace

std::unique_ptr<WordModel> make_bpe(const TokenizerSpec& spec, const Vocabulary& vocabulary) {
  if (spec.model == TokenizerModel::bpe_scores) return std::make_unique<Bpe<ScoredPairs>>(spec, vocabulary, ScoredPairs(spec, vocabulary));
  return std::make_unique<Bpe<RankedPairs>>(spec, vocabulary, RankedPairs(spec));
}

void append_unknown(std::string_view text, const Vocabulary& vocabulary, int32_t unk, bool fuse, size_t word_start,
                    std::vector<int32_t>& out) {
  const size_t before = out.size();
  for (char c : text) {
    const int32_t id = vocabulary.byte_token(static_cast<uint8_t>(c));
    if (id < 0) {
      out.resize(before);
      const bool repeats = fuse && before > word_start && out.back() == unk;
      if (unk >= 0 && !repeats) out.push_back(unk);
      return;
    }
    out.push_back(id);
  }
}

}  // namespace hyalite
