// What one rendering shares: limits, the place that is being evaluated (for messages), and the clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "text/jinja/source.h"

namespace hyalite::jinja {

struct Limits {
  size_t max_steps = 20'000'000;       // evaluated nodes, plus one for each 32 bytes or single value that an operation makes
  size_t max_text = size_t{64} << 20;  // bytes of the prompt and of any string
  int max_depth = 600;                 // nested evaluations
};

class Context {
 public:
  Context(const Source& source, const Limits& limits, const std::tm& clock) : source_(source), limits_(limits), clock_(clock) {}
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // Throws Error{code} at the row and column of the node being evaluated.
  [[noreturn]] void fail(const std::string& message, ErrorCode code = ErrorCode::invalid_model) const;

  // Counts one step plus the work of touching `bytes`. Fails when the template has used up its steps.
  void charge(size_t bytes = 0);
  // The same for `count` values, each worth a step; bounds the memory that values can take.
  void charge_items(size_t count);
  // Charges for `added` bytes of a string and fails when it grows beyond the limit, having `size` bytes without them.
  void charge_text(size_t size, size_t added);
  void charge_text(size_t added) { charge_text(0, added); }

  // The work of finding `wanted` bytes in `size` bytes, which for a long text is more than to touch them.
  void charge_search(size_t size, size_t wanted);

  const std::tm& clock() const { return clock_; }

  // `dissolve` is called when the context ends: it empties an object that may have come to hold itself.
  void at_end(std::function<void()> dissolve);

  // Moves the place of messages to `offset` and counts a step and a level of depth, for as long as it lives.
  class Frame {
   public:
    Frame(Context& context, uint32_t offset);
    explicit Frame(Context& context) : Frame(context, context.offset_) {}  // at the same place
    ~Frame();
    Frame(const Frame&) = delete;
    Frame& operator=(const Frame&) = delete;

   private:
    Context& context_;
    uint32_t outer_offset_;
  };

 private:
  const Source& source_;
  Limits limits_;
  std::tm clock_;
  size_t steps_ = 0;
  int depth_ = 0;
  uint32_t offset_ = 0;
  std::vector<std::function<void()>> dissolve_;
};

}  // namespace hyalite::jinja
