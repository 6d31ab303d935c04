#include "base/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace hyalite {

Progress::Progress(std::string label, uint64_t total, std::ostream& out, const Clock& clock, const ProgressOptions& options)
    : label_(std::move(label)), total_(total), out_(out), clock_(clock), options_(options), next_draw_(clock.now()) {}

Progress::~Progress() {
  if (drawn_) out_ << fmt::format("\r{:{}}\r", "", options_.columns - 1) << std::flush;
}

void Progress::advance(uint64_t by) {
  done_ = std::min(total_, done_ + by);
  if (!options_.shown || clock_.now() < next_draw_) return;
  next_draw_ = clock_.now() + std::chrono::milliseconds(100);
  draw();
}

void Progress::draw() {
  drawn_ = true;
  const double share = total_ == 0 ? 1.0 : static_cast<double>(done_) / static_cast<double>(total_);
  const int width = std::max(0, options_.columns - 1 - static_cast<int>(label_.size()) - 8);
  const int filled = static_cast<int>(share * width);
  out_ << fmt::format("\r{} [{:=>{}}{:{}}] {:3.0f}%", label_, "", filled, "", width - filled, 100 * share) << std::flush;
}

}  // namespace hyalite
