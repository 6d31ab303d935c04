#include "base/thread_pool.h"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <system_error>

#include "base/cancellation.h"
#include "base/cpu_binding.h"
#include "base/cpu_quota.h"
#include "base/error.h"

namespace hyalite {
namespace {

// A partner on a CPU of its own arrives while we spin. Where other processes crowd the machine it may wait for ours, so give way soon; on
// an idle machine a yield comes back at once, and a hundred are as good as 30 us more of spinning.
constexpr std::chrono::nanoseconds spin_time = std::chrono::microseconds(20);
constexpr int yields_before_parking = 100;

inline void pause_cpu() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// A pause takes from 10 to 140 cycles, depending on the CPU.
int pauses_in(std::chrono::nanoseconds wanted) {
  using Steady = std::chrono::steady_clock;
  constexpr int sample = 256;
  auto best = std::chrono::nanoseconds::max();
  for (int round = 0; round < 3; ++round) {
    const auto start = Steady::now();
    for (int i = 0; i < sample; ++i) pause_cpu();
    best = std::min<std::chrono::nanoseconds>(best, Steady::now() - start);
  }
  return static_cast<int>(std::clamp<int64_t>(wanted.count() * sample / std::max<int64_t>(best.count(), 1), 100, 50000));
}

int cpus_in_mask() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));  // more CPUs than a cpu_set_t holds
}

}  // namespace

int usable_cpus() {
  return std::min(cpus_in_mask(), cpu_quota());
}

ThreadPool::ThreadPool(int threads, bool pin) : size_(threads), spins_(0) {
  HYALITE_CHECK(threads >= 1, "a pool has at least the thread that calls run()");
  if (size_ == 1) return;
  const int in_mask = cpus_in_mask(), usable = std::min(in_mask, cpu_quota());
  const bool cpu_for_each = usable >= size_;
  if (cpu_for_each) spins_ = pauses_in(spin_time);
  // A quota says that others use these CPUs too, and they would all be bound to the same ones: let the OS choose.
  const bool own_cpus = usable == in_mask;
  const std::vector<int> cpus = pin && cpu_for_each && own_cpus ? cpus_to_fill() : std::vector<int>{};
  workers_.reserve(size_ - 1);
  try {
    for (int thread = 1; thread < size_; ++thread) workers_.emplace_back([this, thread] { worker(thread); });
  } catch (const std::system_error& error) {
    stop();
    throw Error(ErrorCode::io, "thread pool", "cannot start " + std::to_string(size_) + " threads: " + error.what());
  }
  if (static_cast<int>(cpus.size()) < size_) return;
  for (int thread = 1; thread < size_; ++thread) bind_thread(workers_[thread - 1], cpus[thread]);  // cpus[0] is left to the caller
}

ThreadPool::~ThreadPool() {
  stop();
}

void ThreadPool::stop() noexcept {
  stopping_.store(true, std::memory_order_relaxed);
  epoch_.fetch_add(1, std::memory_order_release);
  epoch_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::run(FunctionRef<void(int)> work) {
  throw_if_set(cancel_);
  if (size_ == 1) return work(0);
  work_ = &work;
  arrived_.store(0, std::memory_order_relaxed);
  running_.store(size_ - 1, std::memory_order_relaxed);
  epoch_.fetch_add(1, std::memory_order_release);
  epoch_.notify_all();
  work_as(0);
  for (uint32_t running; (running = running_.load(std::memory_order_acquire)) != 0;) wait_while(running_, running);
  if (!failed_.load(std::memory_order_relaxed)) return;
  failed_.store(false, std::memory_order_relaxed);
  std::rethrow_exception(std::exchange(error_, nullptr));
}

void ThreadPool::worker(int thread) {
  for (uint32_t seen = 0;; ++seen) {
    wait_while(epoch_, seen);
    if (stopping_.load(std::memory_order_relaxed)) return;
    work_as(thread);
    if (running_.fetch_sub(1, std::memory_order_acq_rel) == 1) running_.notify_all();
  }
}

void ThreadPool::work_as(int thread) noexcept {
  try {
    (*work_)(thread);
  } catch (const Abandoned&) {
    // the thread that failed has left its exception already
  } catch (...) {
    fail(std::current_exception());
  }
}

void ThreadPool::fail(std::exception_ptr error) noexcept {
  if (failed_.exchange(true, std::memory_order_relaxed)) return;
  error_ = std::move(error);
  // Passing the phase on frees those who wait at the barrier; a thread that sees this phase also sees `failed_`.
  phase_.fetch_add(1, std::memory_order_release);
  phase_.notify_all();
}

void ThreadPool::barrier() {
  const uint32_t phase = phase_.load(std::memory_order_acquire);
  if (failed_.load(std::memory_order_relaxed)) throw Abandoned{};
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == static_cast<uint32_t>(size_)) {
    arrived_.store(0, std::memory_order_relaxed);
    throw_if_set(cancel_);  // the others leave as they do where any work fails
    phase_.fetch_add(1, std::memory_order_release);
    phase_.notify_all();
    return;
  }
  wait_while(phase_, phase);
  if (failed_.load(std::memory_order_relaxed)) throw Abandoned{};
}

// Returns once `value` is not `old`. Spinning is for partners that run now, yielding for those that wait for a CPU, parking for the rest.
void ThreadPool::wait_while(const std::atomic<uint32_t>& value, uint32_t old) const {
  for (int i = 0; i < spins_; ++i) {
    if (value.load(std::memory_order_acquire) != old) return;
    pause_cpu();
  }
  for (int i = 0; i < yields_before_parking; ++i) {
    if (value.load(std::memory_order_acquire) != old) return;
    std::this_thread::yield();
  }
  value.wait(old, std::memory_order_acquire);
}

}  // namespace hyalite
