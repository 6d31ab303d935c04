#include "runtime/kv_pool.h"

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "ops/paged_cache.h"

namespace hyalite {
namespace {

constexpr int64_t kMaxBytes = int64_t{1} << 56;                     // so that sums with other memory stay within 64 bits
constexpr int64_t kMaxPages = std::numeric_limits<int32_t>::max();  // of a group: page tables hold 32 bits

[[noreturn]] void refuse_size(const std::string& what) {
  throw Error(ErrorCode::invalid_model, "KV cache", what + " are more than any machine has memory for");
}

int64_t pages_for(int64_t tokens) {
  return (tokens + kPageTokens - 1) / kPageTokens;
}

}  // namespace

std::vector<KvPool::Group> KvPool::groups_of(const std::vector<CacheSpec>& by_layer, const KvPoolOptions& options) {
  std::vector<Group> groups;
  for (const CacheSpec& spec : by_layer) {
    if (std::ranges::any_of(groups, [&](const Group& group) { return group.spec == spec; })) continue;
    int64_t ring = pages_for(options.max_tokens);
    // A step's first token still sees window - 1 positions before it, wherever in a page they begin.
    if (spec.kind == CacheSpec::Kind::sliding_window) ring = std::min(ring, pages_for(spec.window + options.max_step_tokens) + 1);
    int64_t pages = 0;
    if (__builtin_mul_overflow(ring, options.max_sequences, &pages) || pages > kMaxPages)
      refuse_size(std::to_string(options.max_sequences) + " sequences of " + std::to_string(ring) + " pages");
    groups.push_back({spec, ring, pages, {}});
  }
  return groups;
}

int64_t KvPool::bytes_needed(const std::vector<CacheSpec>& by_layer, const KvPoolOptions& options) {
  std::vector<Group> groups = groups_of(by_layer, options);
  int64_t bytes = 0;
  for (const CacheSpec& spec : by_layer) {
    const int64_t pages = std::ranges::find(groups, spec, &Group::spec)->pages, page_bytes = page_bytes_of(spec);
    int64_t layer_bytes = 0;
    if (__builtin_mul_overflow(pages, page_bytes, &layer_bytes) || __builtin_add_overflow(bytes, layer_bytes, &bytes) || bytes > kMaxBytes)
      refuse_size(std::to_string(pages) + " pages of " + std::to_string(page_bytes) + " bytes in a layer");
  }
  return bytes;
}

KvPool::KvPool(const std::vector<CacheSpec>& by_layer, const KvPoolOptions& options, ThreadPool& threads)
    : options_(options), groups_(groups_of(by_layer, options)) {
  memory_ = std::make_unique<PageMemory>(static_cast<size_t>(bytes_needed(by_layer, options)), threads);
  uint8_t* at = memory_->data();
  for (const CacheSpec& spec : by_layer) {
    int group = static_cast<int>(std::ranges::find_if(groups_, [&](const Group& g) { return g.spec == spec; }) - groups_.begin());
    views_.push_back({at, page_bytes_of(spec), group, spec});
    at += groups_[group].pages * page_bytes_of(spec);
  }
  for (Group& group : groups_)
    for (int64_t page = group.pages - 1; page >= 0; --page) group.free.push_back(static_cast<int32_t>(page));
}

bool KvPool::try_reserve(SequencePages& pages, int64_t tokens) {
  if (tokens > options_.max_tokens)
    throw Error(ErrorCode::context_length_exceeded, "context",
                std::to_string(tokens) + " tokens do not fit into " + std::to_string(options_.max_tokens));
  pages.tables.resize(groups_.size());
  auto missing = [&](size_t i) { return std::min(groups_[i].ring, pages_for(tokens)) - static_cast<int64_t>(pages.tables[i].size()); };
  for (size_t i = 0; i < groups_.size(); ++i)
    if (missing(i) > static_cast<int64_t>(groups_[i].free.size())) return false;
  for (size_t i = 0; i < groups_.size(); ++i) {
    pages.tables[i].reserve(groups_[i].ring);  // once, so that later steps allocate nothing
    for (int64_t n = missing(i); n > 0; --n) {
      pages.tables[i].push_back(groups_[i].free.back());
      groups_[i].free.pop_back();
    }
  }
  return true;
}

void KvPool::reserve(SequencePages& pages, int64_t tokens) {
  HYALITE_CHECK(try_reserve(pages, tokens), "more sequences than the KV cache was made for");
}

void KvPool::release(SequencePages& pages) {
  for (size_t i = 0; i < pages.tables.size(); ++i)
    groups_[i].free.insert(groups_[i].free.end(), pages.tables[i].rbegin(), pages.tables[i].rend());
  pages = {};
}

void KvPool::check(const std::vector<const SequencePages*>& live) const {
  for (size_t i = 0; i < groups_.size(); ++i) {
    std::vector<int> owners(groups_[i].pages, 0);
    for (int32_t page : groups_[i].free) ++owners.at(page);
    for (const SequencePages* pages : live)
      if (i < pages->tables.size())
        for (int32_t page : pages->tables[i]) ++owners.at(page);
    for (int64_t page = 0; page < groups_[i].pages; ++page)
      HYALITE_CHECK(owners[page] == 1,
                    "page " + std::to_string(page) + " of group " + std::to_string(i) + " has " + std::to_string(owners[page]) + " owners");
  }
}

}  // namespace hyalite
