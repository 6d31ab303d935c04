// A progress bar for long work: one line on standard error, redrawn at most ten times a second and wiped at the end. Nothing at all where
// it is not shown, so that pipes and logs stay clean.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>

#include "base/clock.h"

namespace hyalite {

struct ProgressOptions {
  bool shown = false;  // standard error is a terminal and the user did not ask for quiet
  int columns = 80;
};

// One thread at a time. `out` and `clock` must outlive it.
class Progress {
 public:
  Progress(std::string label, uint64_t total, std::ostream& out, const Clock& clock, const ProgressOptions& options = {});
  ~Progress();  // wipes the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `by` more of `total` is done.
  void advance(uint64_t by);

 private:
  void draw();

  std::string label_;
  uint64_t total_, done_ = 0;
  std::ostream& out_;
  const Clock& clock_;
  ProgressOptions options_;
  Clock::Nanoseconds next_draw_;
  bool drawn_ = false;
};

}  // namespace hyalite
