#include "base/mapped_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace hyalite {
namespace {

// The only process-wide state of base/: a signal handler can be given nothing but globals. Slots are claimed and freed without locks.
struct Slot {
  std::atomic<const uint8_t*> begin{nullptr};
  std::atomic<size_t> size{0};
  char message[384];  // what the handler says of this file: it can format nothing itself
};
Slot g_slots[MappedFile::kMost];

// The slot's index, or -1 where none is free.
int claim_slot(const uint8_t* data, size_t size, const std::string& path) {
  for (int i = 0; i < MappedFile::kMost; ++i) {
    size_t free = 0;
    if (!g_slots[i].size.compare_exchange_strong(free, size)) continue;
    std::snprintf(g_slots[i].message, sizeof g_slots[i].message,
                  "hyalite: %.255s: the file became shorter, or unreadable, while it was in use\n", path.c_str());
    g_slots[i].begin.store(data, std::memory_order_release);
    return i;
  }
  return -1;
}

// Of several threads that fault at once the first speaks, in one piece, and ends the process; the others wait for that.
[[noreturn]] void end_saying(const char* message) {
  static std::atomic_flag spoken;
  while (spoken.test_and_set()) pause();
  [[maybe_unused]] ssize_t n = write(STDERR_FILENO, message, std::strlen(message));
  _exit(3);
}

void on_map_fault(int, siginfo_t* info, void*) {
  const auto* at = static_cast<const uint8_t*>(info->si_addr);
  for (const Slot& slot : g_slots) {
    const uint8_t* begin = slot.begin.load(std::memory_order_acquire);
    if (!begin || at < begin || at >= begin + slot.size.load()) continue;
    end_saying(slot.message);
  }
  signal(SIGBUS, SIG_DFL);
  raise(SIGBUS);
}

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& why, ErrorCode code = ErrorCode::invalid_model) {
  throw Error(code, path.string(), why);
}

}  // namespace

std::shared_ptr<MappedFile> MappedFile::open(const std::filesystem::path& path) {
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) refuse(path, std::string("cannot open: ") + std::strerror(errno));
  struct stat info {};
  if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    close(fd);
    refuse(path, "not a regular file");
  }
  size_t size = static_cast<size_t>(info.st_size);
  void* data = size ? mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0) : nullptr;
  int error = errno;
  close(fd);
  if (data == MAP_FAILED) refuse(path, std::string("cannot map: ") + std::strerror(error));
  auto* bytes = static_cast<const uint8_t*>(data);
  const int slot = size ? claim_slot(bytes, size, path.string()) : -1;
  if (size && slot < 0) {
    munmap(data, size);
    refuse(path, "is one file more than the " + std::to_string(kMost) + " that can be in use at once", ErrorCode::unsupported);
  }
  return std::shared_ptr<MappedFile>(new MappedFile(path, bytes, size, slot));
}

MappedFile::MappedFile(std::filesystem::path path, const uint8_t* data, size_t size, int slot)
    : path_(std::move(path)), data_(data), size_(size), slot_(slot) {}

MappedFile::~MappedFile() {
  if (slot_ >= 0) {
    g_slots[slot_].begin.store(nullptr);
    g_slots[slot_].size.store(0);
  }
  if (data_) munmap(const_cast<uint8_t*>(data_), size_);
}

void MappedFile::release(size_t offset, size_t size) const {
  constexpr size_t kLargestFolio = size_t{2} << 20;  // that a fault maps at once; aligned in the file
  const size_t first = std::min(offset, size_), last = first + std::min(size, size_ - first);
  if (first == last) return;
  const size_t begin = first / kLargestFolio * kLargestFolio;
  const size_t end = std::min((last + kLargestFolio - 1) / kLargestFolio * kLargestFolio, size_);
  madvise(const_cast<uint8_t*>(data_) + begin, end - begin, MADV_DONTNEED);
}

void install_map_fault_handler() {
  struct sigaction action {};
  action.sa_sigaction = on_map_fault;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, nullptr);
}

}  // namespace hyalite
