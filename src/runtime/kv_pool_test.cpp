#include "runtime/kv_pool.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/thread_pool.h"
#include "ops/paged_cache.h"

namespace hyalite {
namespace {

CacheSpec full() {
  return {CacheSpec::Kind::paged, 2, 16, 0, DType::f16};
}
CacheSpec sliding(int window) {
  return {CacheSpec::Kind::sliding_window, 2, 16, window, DType::f16};
}

class KvPages : public ::testing::Test {
 protected:
  ThreadPool threads_{2};
};

TEST_F(KvPages, LayersWithEqualSpecsShareAGroup) {
  KvPool pool({sliding(32), full(), sliding(32)}, {.max_tokens = 640, .max_sequences = 2, .max_step_tokens = 64}, threads_);
  EXPECT_EQ(pool.groups(), 2);
  EXPECT_EQ(pool.layers()[0].group, pool.layers()[2].group);
  EXPECT_NE(pool.layers()[0].group, pool.layers()[1].group);
  EXPECT_NE(pool.layers()[0].data, pool.layers()[2].data);
}

TEST_F(KvPages, PredictsTheBytesItTakes) {
  std::vector<CacheSpec> layers = {sliding(32), full(), full()};
  KvPoolOptions options{.max_tokens = 1000, .max_sequences = 3, .max_step_tokens = 64};
  KvPool pool(layers, options, threads_);
  EXPECT_EQ(pool.bytes(), KvPool::bytes_needed(layers, options));
  // 16 pages a sequence for 1,000 positions; the ring holds 32 + 64 positions and a page more, that is 3 pages.
  EXPECT_EQ(pool.bytes(), 3 * (2 * 16 + 3) * page_bytes_of(full()));
}

TEST_F(KvPages, SizesBeyondAnyMachineAreRefused) {
  const CacheSpec largest{CacheSpec::Kind::paged, kMaxKvHeads, kMaxHeadDim, 0, DType::f32};
  const KvPoolOptions long_sequence{.max_tokens = int64_t{1} << 31};
  struct Case {
    std::vector<CacheSpec> layers;
    KvPoolOptions options;
    const char* word;
  };
  const Case cases[] = {
      {{largest}, long_sequence, "bytes in a layer"},                                     // 2^64 bytes, which wrap to none
      {std::vector(1 << 18, largest), {.max_tokens = 64}, "bytes in a layer"},            // 2^57 bytes of one page a layer
      {{full()}, {.max_tokens = int64_t{1} << 31, .max_sequences = 64}, "64 sequences"},  // page numbers have 32 bits
  };
  for (const Case& one : cases) {
    try {
      KvPool::bytes_needed(one.layers, one.options);
      ADD_FAILURE() << one.word << " was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_model);
      EXPECT_NE(error.message().find(one.word), std::string::npos) << error.what();
    }
  }
}

TEST_F(KvPages, PagesGrowWithTheSequenceAndComeBack) {
  KvPool pool({full()}, {.max_tokens = 256, .max_sequences = 2}, threads_);
  SequencePages a, b;
  pool.reserve(a, 1);
  EXPECT_EQ(a.tables[0].size(), 1u);
  pool.reserve(a, 64);
  EXPECT_EQ(a.tables[0].size(), 1u);
  pool.reserve(a, 65);
  EXPECT_EQ(a.tables[0].size(), 2u);
  pool.reserve(b, 256);
  EXPECT_EQ(b.tables[0].size(), 4u);
  pool.check({&a, &b});
  pool.release(a);
  pool.release(b);
  pool.check({});
}

TEST_F(KvPages, ASlidingGroupReusesARing) {
  KvPool pool({sliding(100)}, {.max_tokens = 6400, .max_sequences = 1, .max_step_tokens = 1}, threads_);
  SequencePages pages;
  pool.reserve(pages, 6400);
  EXPECT_EQ(pages.tables[0].size(), 3u);
}

TEST_F(KvPages, RefusesMoreThanItHolds) {
  KvPool pool({full()}, {.max_tokens = 128, .max_sequences = 1}, threads_);
  SequencePages a, b;
  try {
    pool.reserve(a, 129);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::context_length_exceeded);
    EXPECT_NE(std::string(error.what()).find("129"), std::string::npos);
  }
  EXPECT_TRUE(pool.try_reserve(a, 128));
  EXPECT_FALSE(pool.try_reserve(b, 1));
  pool.check({&a, &b});  // the refused request took nothing
  try {
    pool.reserve(b, 1);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::internal);  // whoever calls counts its sequences
  }
}

TEST_F(KvPages, CheckFindsAPageThatHasTwoOwners) {
  KvPool pool({full()}, {.max_tokens = 128, .max_sequences = 1}, threads_);
  SequencePages a;
  pool.reserve(a, 10);
  SequencePages copy = a;
  EXPECT_THROW(pool.check({&a, &copy}), Error);
  EXPECT_THROW(pool.check({}), Error);
}

}  // namespace
}  // namespace hyalite
