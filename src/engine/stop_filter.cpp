#include "engine/stop_filter.h"

#include <algorithm>

#include "base/error.h"

namespace hyalite {

StopFilter::StopFilter(std::vector<std::string> stops) : stops_(std::move(stops)) {
  if (std::ranges::any_of(stops_, &std::string::empty)) throw Error(ErrorCode::invalid_argument, "stop", "a stop string must not be empty");
}

std::string StopFilter::push(std::string_view text) {
  if (stopped_) return {};
  held_ += text;
  size_t found = std::string::npos;
  for (const std::string& stop : stops_) found = std::min(found, held_.find(stop));
  if (found != std::string::npos) {
    stopped_ = true;
    std::string before = held_.substr(0, found);
    held_.clear();
    return before;
  }
  // The longest end of the text that begins a stop string stays.
  size_t keep = 0;
  for (const std::string& stop : stops_)
    for (size_t n = std::min(stop.size() - 1, held_.size()); n > keep; --n)
      if (std::string_view(held_).ends_with(std::string_view(stop).substr(0, n))) keep = n;
  std::string ready = held_.substr(0, held_.size() - keep);
  held_.erase(0, ready.size());
  return ready;
}

std::string StopFilter::finish() { return std::exchange(held_, {}); }

}  // namespace hyalite
