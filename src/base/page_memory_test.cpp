#include "base/page_memory.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "base/thread_pool.h"

namespace hyalite {
namespace {

TEST(PageMemory, IsZeroAndStartsOnAHugePage) {
  ThreadPool pool(3);
  for (size_t bytes : {size_t{1}, size_t{4096}, (size_t{5} << 20) + 1, size_t{14} << 20}) {
    const PageMemory untouched(bytes), touched(bytes, pool);
    for (const PageMemory* memory : {&untouched, &touched}) {
      EXPECT_EQ(reinterpret_cast<uintptr_t>(memory->data()) % (2 << 20), 0u);
      EXPECT_EQ(memory->bytes(), bytes);
      EXPECT_TRUE(std::all_of(memory->data(), memory->data() + bytes, [](uint8_t byte) { return byte == 0; }));
    }
  }
}

TEST(PageMemory, MayBeEmptyButNotLargerThanWhatIsThere) {
  ThreadPool pool(2);
  EXPECT_EQ(PageMemory(0).data(), nullptr);
  EXPECT_EQ(PageMemory(0, pool).data(), nullptr);
  EXPECT_THROW(PageMemory(size_t{1} << 46), Error);
}

TEST(PageMemory, IsCountedWhereItGotHugePages) {
  const size_t before = bytes_in_huge_pages();
  ThreadPool pool(1);
  const PageMemory memory(size_t{64} << 20, pool);
  const size_t gained = bytes_in_huge_pages() - std::min(before, bytes_in_huge_pages());
  if (gained == 0) GTEST_SKIP() << "the system gives no huge pages";
  EXPECT_LE(gained, memory.bytes());
}

TEST(HugePagePolicy, IsTheMarkedWord) {
  EXPECT_EQ(chosen_word("always [madvise] never"), "madvise");
  EXPECT_EQ(chosen_word("[always] madvise never\n"), "always");
  for (const char* text : {"", "always", "[", "]", "][never"}) EXPECT_EQ(chosen_word(text), "unknown") << text;
  EXPECT_NE(huge_page_policy(), "");
}

}  // namespace
}  // namespace hyalite
