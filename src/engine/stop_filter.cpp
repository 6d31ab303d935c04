#include "engine/stop_filter.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace hyalite {

StopFilter::StopFilter(std::vector<std::string> stops) : stops_(std::move(stops)) {
  if (std::ranges::any_of(stops_, &std::string::empty)) throw Error(ErrorCode::invalid_argument, "stop", "a stop string must not be empty");
}

std::string StopFilter::push(std::string_view text) {
  if (stopped_) return {};
  held_ += text;
  // The stop that is complete first wins, so that the answer does not depend on how the text came in pieces.
  size_t begin = std::string::npos, end = std::string::npos;
  for (const std::string& stop : stops_)
    if (size_t at = held_.find(stop); at != std::string::npos && std::pair(at + stop.size(), at) < std::pair(end, begin)) {
      begin = at;
      end = at + stop.size();
    }
  if (begin != std::string::npos) {
    stopped_ = true;
    std::string before = held_.substr(0, begin);
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

std::string StopFilter::finish() {
  return std::exchange(held_, {});
}

}  // namespace hyalite
