#include "base/thread_pool.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <chrono>
#include <numeric>
#include <set>
#include <stdexcept>

#include "base/cpu_binding.h"
#include "base/error.h"

namespace hyalite {
namespace {

// Both well-fed and starved: on any machine some of these pools have more threads than CPUs.
class PoolOf : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Threads, PoolOf, testing::Values(1, 2, 3, 8), testing::PrintToStringParamName());

TEST_P(PoolOf, RunsEveryThreadOnceARun) {
  ThreadPool pool(GetParam());
  EXPECT_EQ(pool.size(), GetParam());
  std::vector<int> calls(pool.size());
  for (int run = 0; run < 500; ++run) pool.run([&](int thread) { ++calls[thread]; });
  EXPECT_EQ(calls, std::vector<int>(pool.size(), 500));
}

TEST_P(PoolOf, CallerIsThreadZero) {
  ThreadPool pool(GetParam());
  std::vector<std::thread::id> ids(pool.size());
  pool.run([&](int thread) { ids[thread] = std::this_thread::get_id(); });
  EXPECT_EQ(ids[0], std::this_thread::get_id());
  EXPECT_EQ(std::set(ids.begin(), ids.end()).size(), ids.size());
}

TEST_P(PoolOf, BarrierShowsWhatOthersWrote) {
  ThreadPool pool(GetParam());
  const int threads = pool.size(), phases = 200;
  std::vector<int> written(threads);
  std::vector<int> errors(threads);
  pool.run([&](int thread) {
    for (int phase = 1; phase <= phases; ++phase) {
      written[thread] = phase;
      pool.barrier();
      for (const int value : written) errors[thread] += value != phase;
      pool.barrier();
    }
  });
  EXPECT_EQ(errors, std::vector<int>(threads));
}

TEST_P(PoolOf, CancelledWorkEndsAtABarrierForAll) {
  ThreadPool pool(GetParam());
  std::atomic<bool> cancel = false;
  std::vector<int> phases(pool.size());
  auto work = [&](int thread) {
    for (int phase = 0; phase < 100; ++phase) {
      if (thread == 0 && phase == 3) cancel = true;
      ++phases[thread];
      pool.barrier();
    }
  };
  auto code_of_run = [&] {
    try {
      pool.run(work);
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode::internal;
  };
  {
    const ThreadPool::CancelScope outer(pool, &cancel), inner(pool, nullptr);
    EXPECT_EQ(code_of_run(), ErrorCode::cancelled);
    const std::vector<int> before(pool.size(), 4);
    EXPECT_EQ(phases, before);
    EXPECT_EQ(code_of_run(), ErrorCode::cancelled);
    EXPECT_EQ(phases, before);
  }
  phases.assign(pool.size(), 0);
  pool.run(work);
  EXPECT_EQ(phases, std::vector<int>(pool.size(), 100));
}

TEST_P(PoolOf, WakesAfterParking) {
  ThreadPool pool(GetParam());
  std::atomic<int> calls = 0;
  for (int run = 0; run < 3; ++run) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    pool.run([&](int) { ++calls; });
  }
  EXPECT_EQ(calls, 3 * pool.size());
}

TEST_P(PoolOf, WaitsForASlowThread) {
  ThreadPool pool(GetParam());
  std::vector<int> done(pool.size());
  pool.run([&](int thread) {
    if (thread == pool.size() - 1) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    pool.barrier();
    done[thread] = 1;
  });
  EXPECT_EQ(std::accumulate(done.begin(), done.end(), 0), pool.size());
}

TEST_P(PoolOf, CarriesAnExceptionToTheCallerAndGoesOn) {
  ThreadPool pool(GetParam());
  for (int thrower = 0; thrower < pool.size(); ++thrower) {
    try {
      pool.run([&](int thread) {
        if (thread == thrower) throw std::runtime_error("thread " + std::to_string(thread));
      });
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(error.what(), "thread " + std::to_string(thrower));
    }
  }
  std::atomic<int> calls = 0;
  pool.run([&](int) {
    pool.barrier();
    ++calls;
  });
  EXPECT_EQ(calls, pool.size());
}

TEST_P(PoolOf, AFailedThreadDoesNotLeaveOthersAtTheBarrier) {
  ThreadPool pool(GetParam());
  for (int round = 0; round < 50; ++round) {
    const int thrower = round % pool.size();
    std::atomic<int> past = 0;
    EXPECT_THROW(pool.run([&](int thread) {
      pool.barrier();
      if (thread == thrower) throw Error(ErrorCode::internal, "test", "planted");
      pool.barrier();
      ++past;
    }),
                 Error);
    EXPECT_EQ(past, 0);
  }
}

TEST(ThreadPool, IsDestroyedWhileItsThreadsSpinOrSleep) {
  for (int i = 0; i < 20; ++i) {
    ThreadPool pool(4);
    if (i % 2 == 0) pool.run([](int) {});
    if (i % 5 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

TEST(ThreadPool, RefusesToBeEmpty) {
  EXPECT_THROW(ThreadPool(0), Error);
}

cpu_set_t current_mask() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  return set;
}

TEST(Pinning, WorkersHaveACpuOfTheirOwnAndTheCallerIsFree) {
  const cpu_set_t before = current_mask();
  const int threads = usable_cpus();
  if (threads < 2) GTEST_SKIP() << "needs two CPUs";
  ThreadPool pool(threads);
  std::vector<cpu_set_t> masks(threads);
  pool.run([&](int thread) { masks[thread] = current_mask(); });
  EXPECT_TRUE(CPU_EQUAL(&masks[0], &before));
  cpu_set_t taken;
  CPU_ZERO(&taken);
  for (int thread = 1; thread < threads; ++thread) {
    EXPECT_EQ(CPU_COUNT(&masks[thread]), 1);
    CPU_OR(&taken, &taken, &masks[thread]);
  }
  EXPECT_EQ(CPU_COUNT(&taken), threads - 1);
}

TEST(Pinning, NoneWithFewerCpusThanThreads) {
  const cpu_set_t before = current_mask();
  ThreadPool pool(usable_cpus() + 1);
  std::vector<cpu_set_t> masks(pool.size());
  pool.run([&](int thread) { masks[thread] = current_mask(); });
  for (const cpu_set_t& mask : masks) EXPECT_TRUE(CPU_EQUAL(&mask, &before));
}

TEST(Pinning, StaysInsideTheAffinityMask) {
  std::thread([] {
    cpu_set_t one = current_mask();
    int cpu = 0;
    while (!CPU_ISSET(cpu, &one)) ++cpu;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    EXPECT_EQ(usable_cpus(), 1);
    EXPECT_EQ(cpus_to_fill(), std::vector<int>{cpu});
    ThreadPool pool(2);
    std::atomic<int> calls = 0;
    for (int i = 0; i < 50; ++i) {
      pool.run([&](int) {
        pool.barrier();
        ++calls;
      });
    }
    EXPECT_EQ(calls, 100);
  }).join();
}

}  // namespace
}  // namespace hyalite
