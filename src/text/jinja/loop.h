// The state of one running for loop, and what templates see of it as `loop`.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "text/jinja/objects.h"

namespace hyalite::jinja {

class Loop : public Object, public std::enable_shared_from_this<Loop> {
 public:
  using Accept = std::function<bool(const Value&)>;             // the `if` of the for statement; empty: takes all
  using Recurse = std::function<Value(const Value& iterable)>;  // loop(iterable); empty: not recursive

  Loop(std::vector<Value> items, Accept accept, Recurse recurse, int depth)
      : items_(std::move(items)), recurse_(std::move(recurse)), nesting_(depth) {
    if (accept) accept_ = std::make_shared<const Accept>(std::move(accept));
  }

  // Moves to the next element; false at the end. As in Jinja the filter looks no further ahead than the template does.
  bool advance() const;
  const Value& current() const { return current_; }
  // Lets go of all values and functions: a loop variable may outlive its loop.
  void finish() const;

  std::string_view type_name() const override { return "LoopContext"; }
  std::optional<Value> attribute(Context& context, std::string_view name) const override;
  bool callable() const override { return true; }
  Value call(Context& context, Arguments& arguments) const override;

  Value cycle(Context& context, std::span<const Value> values) const;
  Value changed(Context& context, std::span<const Value> values) const;

 private:
  std::optional<Value> pull() const;
  const std::optional<Value>& peek() const;
  int64_t length() const;

  // Objects are const for those who hold them as values; a loop moves on all the same.
  mutable std::vector<Value> items_;
  mutable std::shared_ptr<const Accept> accept_;  // shared, for a condition may ask a loop for its length and so end its filter
  mutable Recurse recurse_;
  int nesting_;
  mutable size_t next_ = 0;  // in items_
  mutable int64_t index0_ = -1;
  mutable Value current_;
  mutable std::optional<Value> previous_, ahead_, last_changed_;
  mutable bool looked_ahead_ = false, finished_ = false;
};

}  // namespace hyalite::jinja
