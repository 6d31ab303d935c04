// The paged KV cache: pages of kPageTokens positions, one pool per layer, page numbers shared by the layers of a cache group (layers with
// equal CacheSpec). A sequence owns one page table per group. Not thread-safe: one thread changes it, between steps.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/page_memory.h"
#include "ops/batch.h"

namespace hyalite {

// The pages of one sequence, by group. Owned by the sequence, changed only by KvPool.
struct SequencePages {
  std::vector<std::vector<int32_t>> tables;
};

struct KvPoolOptions {
  int64_t max_tokens = 2048;  // longest sequence
  int64_t max_sequences = 1;
  int64_t max_step_tokens = 512;  // most tokens a step appends to one sequence: a sliding-window ring must hold them beside the window
};

class KvPool {
 public:
  // Takes and touches all memory at once, so that what `plan` predicts is what is used; from all threads in turn, since any may read any
  // page. Throws Error{io} where there is not enough, and what bytes_needed() throws.
  KvPool(const std::vector<CacheSpec>& by_layer, const KvPoolOptions& options, ThreadPool& threads);

  // Bytes that such a pool takes, without taking them. Throws Error{invalid_model} where they are more than any machine has: the layers of
  // a plan that was read from a file may ask for that.
  static int64_t bytes_needed(const std::vector<CacheSpec>& by_layer, const KvPoolOptions& options);

  int groups() const { return static_cast<int>(groups_.size()); }
  int64_t bytes() const { return static_cast<int64_t>(memory_->bytes()); }
  const std::vector<CacheView>& layers() const { return views_; }  // by layer, for the executor

  // Makes room for positions [0, tokens); false, and nothing taken, where too few pages are free, which cannot be with max_sequences or
  // fewer. Throws Error{context_length_exceeded} beyond max_tokens.
  [[nodiscard]] bool try_reserve(SequencePages& pages, int64_t tokens);
  // The same. REQUIRES: enough pages are free.
  void reserve(SequencePages& pages, int64_t tokens);
  void release(SequencePages& pages);

  // Proves that every page is either free or in exactly one of `live`'s tables. HYALITE_CHECK; for tests and idle times.
  void check(const std::vector<const SequencePages*>& live) const;

 private:
  struct Group {
    CacheSpec spec;
    int64_t ring = 0;  // most pages of one sequence
    int64_t pages = 0;
    std::vector<int32_t> free;
  };
  static std::vector<Group> groups_of(const std::vector<CacheSpec>& by_layer, const KvPoolOptions& options);

  KvPoolOptions options_;
  std::vector<Group> groups_;
  std::vector<CacheView> views_;
  std::unique_ptr<PageMemory> memory_;
};

}  // namespace hyalite
