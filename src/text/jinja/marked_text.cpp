#include "text/jinja/marked_text.h"

#include <algorithm>

namespace hyalite::jinja {

bool MarkedText::any_user() const {
  return std::any_of(runs_.begin(), runs_.end(), [](const Run& run) { return run.user; });
}

size_t MarkedText::run_of(size_t offset) const {
  auto run = std::upper_bound(runs_.begin(), runs_.end(), offset, [](size_t value, const Run& r) { return value < r.end; });
  return static_cast<size_t>(run - runs_.begin());
}

void MarkedText::append(std::string_view bytes, bool user) {
  if (bytes.empty()) return;
  bytes_.append(bytes);
  if (!runs_.empty() && runs_.back().user == user) {
    runs_.back().end = bytes_.size();
  } else {
    runs_.push_back({bytes_.size(), user});
  }
}

void MarkedText::append_slice(const MarkedText& other, size_t begin, size_t end) {
  if (&other == this) return append(other.slice(begin, end));
  for (size_t run = other.run_of(begin); begin < end; ++run) {
    size_t stop = std::min(end, other.runs_[run].end);
    append(std::string_view(other.bytes_).substr(begin, stop - begin), other.runs_[run].user);
    begin = stop;
  }
}

MarkedText MarkedText::slice(size_t begin, size_t end) const {
  MarkedText result;
  result.append_slice(*this, begin, end);
  return result;
}

Prompt MarkedText::spans() const {
  Prompt spans;
  size_t begin = 0;
  for (const Run& run : runs_) {
    spans.push_back({bytes_.substr(begin, run.end - begin), !run.user});
    begin = run.end;
  }
  return spans;
}

}  // namespace hyalite::jinja
