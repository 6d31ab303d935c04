#include "base/page_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <fstream>

#include "base/available_memory.h"
#include "base/error.h"
#include "base/thread_pool.h"

namespace hyalite {
namespace {

constexpr size_t kPage = 4096;

size_t whole_pages(size_t bytes) {
  return (bytes + kPage - 1) / kPage * kPage;
}

}  // namespace

PageMemory::PageMemory(size_t bytes) : bytes_(bytes) {
  if (!bytes) return;
  if (const size_t available = available_memory(); bytes > available)
    throw Error(ErrorCode::io, "memory", std::to_string(bytes) + " bytes are needed, " + std::to_string(available) + " are available");
  // Over-allocate so that the block can start on a huge page, then give the edges back.
  const size_t rounded = whole_pages(bytes), whole = (bytes + kHugePage - 1) / kHugePage * kHugePage + kHugePage;
  void* raw = mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (raw == MAP_FAILED) throw Error(ErrorCode::io, "memory", "cannot reserve " + std::to_string(bytes) + " bytes");
  auto* begin = static_cast<uint8_t*>(raw);
  const size_t lead = (kHugePage - reinterpret_cast<uintptr_t>(begin) % kHugePage) % kHugePage;
  if (lead) munmap(begin, lead);
  if (whole - lead > rounded) munmap(begin + lead + rounded, whole - lead - rounded);
  data_ = begin + lead;
  madvise(data_, rounded, MADV_HUGEPAGE);
}

PageMemory::PageMemory(size_t bytes, ThreadPool& pool) : PageMemory(bytes) {
  pool.run([&](int thread) {
    const size_t step = kHugePage * static_cast<size_t>(pool.size());
    for (size_t at = kHugePage * static_cast<size_t>(thread); at < bytes_; at += step)
      std::memset(data_ + at, 0, std::min(kHugePage, bytes_ - at));
  });
}

PageMemory::~PageMemory() {
  if (data_) munmap(data_, whole_pages(bytes_));
}

std::string huge_page_policy() {
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string text;
  std::getline(file, text);
  return chosen_word(text);
}

std::string chosen_word(const std::string& text) {
  const size_t open = text.find('['), close = text.find(']');
  return open == std::string::npos || close == std::string::npos || close < open ? "unknown" : text.substr(open + 1, close - open - 1);
}

size_t bytes_in_huge_pages() {
  std::ifstream file("/proc/self/smaps_rollup");
  for (std::string word; file >> word;)
    if (size_t kib = 0; word == "AnonHugePages:" && file >> kib) return kib * 1024;
  return 0;
}

}  // namespace hyalite
