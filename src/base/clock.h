// Time. What tests drive by hand takes a `const Clock&`; what times real work (Stopwatch) or says when it happened reads the machine's.
#pragma once

#include <atomic>
#include <chrono>

namespace hyalite {

class Clock {
 public:
  using Nanoseconds = std::chrono::nanoseconds;

  virtual ~Clock() = default;

  // Time since some fixed moment; never goes back. Any thread.
  virtual Nanoseconds now() const = 0;
};

// The machine's monotonic clock.
class SteadyClock final : public Clock {
 public:
  Nanoseconds now() const override { return std::chrono::steady_clock::now().time_since_epoch(); }
};

// Time since it was made.
class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count(); }
  double ms() const { return seconds() * 1e3; }

 private:
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

// Starts at zero and moves only when told.
class ManualClock final : public Clock {
 public:
  Nanoseconds now() const override { return Nanoseconds(now_.load()); }
  void advance(Nanoseconds by) { now_ += by.count(); }

 private:
  std::atomic<Nanoseconds::rep> now_{0};
};

}  // namespace hyalite
