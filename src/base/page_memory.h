// Large blocks of memory of a process's own: packed weights, activations, the KV cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace hyalite {

class ThreadPool;

inline constexpr size_t kHugePage = size_t{2} << 20;  // bytes of a transparent huge page on x86-64

// Anonymous memory, zero at first, in huge pages where the system gives them to those who ask. On a machine with several NUMA nodes a page
// lies on the node of the thread that writes to it first. The constructor throws Error{io} where less is available.
class PageMemory {
 public:
  explicit PageMemory(size_t bytes);
  // Touches all of it at once: huge page by huge page, each thread of `pool` in its turn, so that every node of theirs holds as much. For
  // what no thread reads more of than another, or nobody knows who will.
  PageMemory(size_t bytes, ThreadPool& pool);
  ~PageMemory();
  PageMemory(const PageMemory&) = delete;
  PageMemory& operator=(const PageMemory&) = delete;
  uint8_t* data() const { return data_; }
  size_t bytes() const { return bytes_; }

 private:
  uint8_t* data_ = nullptr;
  size_t bytes_ = 0;
};

// Who gets transparent huge pages on this system: "always" everybody, "madvise" those who ask, as PageMemory does, "never" nobody;
// "unknown" where the OS does not tell.
std::string huge_page_policy();

// The choice among the words of a sysfs file: "madvise" of "always [madvise] never"; "unknown" where none is marked.
std::string chosen_word(const std::string& text);

// Bytes of this process that lie in huge pages; 0 where the OS does not tell.
size_t bytes_in_huge_pages();

}  // namespace hyalite
