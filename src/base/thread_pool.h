// The threads kernels run on. run() hands one piece of work to every thread at once and returns when all are done; barrier() separates
// phases inside it. Neither allocates, locks or calls the OS while the threads keep up: they wait by spinning for about 50 us and only then
// park on a futex. With fewer CPUs than threads they give way at once instead of spinning.
//
//   ThreadPool pool(4);
//   pool.run([&](int thread) { first_half(thread); pool.barrier(); second_half(thread); });
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

#include "base/function_ref.h"

namespace hyalite {

// How many CPUs the calling thread may run on at once: those in its affinity mask, or fewer where its control group has a quota of CPU
// time. At least 1.
int usable_cpus();

class ThreadPool {
 public:
  // `threads` >= 1 counts the caller of run(), which is thread 0. With `pin`, and where there is a CPU for each thread, worker i stays on a
  // CPU of its own inside the caller's affinity mask: one per core before any shares a core, cores of one NUMA node first. The caller is
  // never pinned, for threads that it starts later would inherit that; nor is any under a quota of CPU time. Errors: Error{io} where the OS
  // gives no more threads.
  explicit ThreadPool(int threads, bool pin = true);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int size() const { return size_; }

  // While it lives, run() throws Error{cancelled} once `flag` is set: at its start, or at the next barrier, where one thread looks and all
  // follow. Made and destroyed by the caller of run(), outside of it; `flag` may be null, which leaves the pool as it is.
  class CancelScope {
   public:
    CancelScope(ThreadPool& pool, const std::atomic<bool>* flag) : pool_(pool), before_(pool.cancel_) {
      if (flag) pool_.cancel_ = flag;
    }
    ~CancelScope() { pool_.cancel_ = before_; }
    CancelScope(const CancelScope&) = delete;
    CancelScope& operator=(const CancelScope&) = delete;

   private:
    ThreadPool& pool_;
    const std::atomic<bool>* before_;
  };

  // Calls work(0) here and work(1) ... work(size() - 1) on the workers; returns when all have returned, and what they wrote is visible
  // here. Where any throws, the first exception is thrown here after all have ended. One caller at a time; not from inside `work`.
  void run(FunctionRef<void(int thread)> work);

  // Only inside run(), by every thread the same number of times: returns when all have arrived, and what they wrote before is visible
  // to all. Where another thread has thrown, ends this thread's work instead of waiting for it in vain.
  void barrier();

 private:
  struct Abandoned {};  // thrown by barrier() to leave work that another thread has failed

  void worker(int thread);
  void work_as(int thread) noexcept;
  void fail(std::exception_ptr error) noexcept;
  void stop() noexcept;
  void wait_while(const std::atomic<uint32_t>& value, uint32_t old) const;

  const int size_;
  int spins_;  // pauses before a wait gives way; 0 where threads share CPUs
  const FunctionRef<void(int)>* work_ = nullptr;
  const std::atomic<bool>* cancel_ = nullptr;
  std::exception_ptr error_;
  std::vector<std::thread> workers_;

  static constexpr size_t cache_line = 64;
  alignas(cache_line) std::atomic<uint32_t> epoch_{0};    // one more for each run(), and for the end
  alignas(cache_line) std::atomic<uint32_t> running_{0};  // workers that have not finished this run()
  alignas(cache_line) std::atomic<uint32_t> arrived_{0};  // threads at the barrier
  alignas(cache_line) std::atomic<uint32_t> phase_{0};    // one more for each barrier passed
  alignas(cache_line) std::atomic<bool> failed_{false};
  std::atomic<bool> stopping_{false};
};

}  // namespace hyalite
