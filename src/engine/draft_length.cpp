#include "engine/draft_length.h"

#include <algorithm>

namespace hyalite {
namespace {

constexpr int64_t kLongestPause = 32;  // steps; a try after them costs a row of one step in 33

}  // namespace

DraftLength::DraftLength(int64_t most) : most_(most), length_(most) {}

int64_t DraftLength::next() {
  if (left_ == 0) return length_;
  --left_;
  return 0;
}

void DraftLength::note(int64_t drafted, int64_t accepted) {
  if (drafted == 0) return;
  if (accepted > 0) {
    pause_ = 0;
    length_ = accepted == drafted ? std::min(2 * std::max(drafted, length_), most_) : accepted + 1;
  } else if (length_ > 1) {
    length_ /= 2;
  } else {
    pause_ = std::clamp<int64_t>(2 * pause_, 1, kLongestPause);
    left_ = pause_;
  }
}

}  // namespace hyalite
