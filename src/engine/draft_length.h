// How many tokens to guess next, by what became of the last guesses: doubled where all were right, cut to what was right where not, and
// where nothing is right, none for a while that doubles too. So text that cannot be guessed costs next to nothing.
#pragma once

#include <cstdint>

namespace hyalite {

class DraftLength {
 public:
  explicit DraftLength(int64_t most);  // at least 1

  // For the next step; 0: do not guess. Call it once a step.
  int64_t next();
  // Of the guesses of this step, if there were any.
  void note(int64_t drafted, int64_t accepted);

 private:
  int64_t most_, length_;
  int64_t pause_ = 0, left_ = 0;  // steps: how long the last pause was, what is left of it
};

}  // namespace hyalite
