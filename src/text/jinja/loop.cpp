#include "text/jinja/loop.h"

#include "text/jinja/operators.h"

namespace hyalite::jinja {

namespace {

const Loop& loop_of(const Value& self) {
  return static_cast<const Loop&>(self.as_object());
}

constexpr Builtin cycle_builtin = {"cycle", "*", 0, [](Context& context, const Value& self, const Bound& arguments) {
                                     return loop_of(self).cycle(context, arguments.rest());
                                   }};
constexpr Builtin changed_builtin = {"changed", "*", 0, [](Context& context, const Value& self, const Bound& arguments) {
                                       return loop_of(self).changed(context, arguments.rest());
                                     }};

}  // namespace

std::optional<Value> Loop::pull() const {
  while (next_ < items_.size()) {
    Value item = items_[next_++];
    std::shared_ptr<const Accept> accept = accept_;
    if (!accept || (*accept)(item)) return item;
  }
  return std::nullopt;
}

const std::optional<Value>& Loop::peek() const {
  if (!looked_ahead_) ahead_ = pull();
  looked_ahead_ = true;
  return ahead_;
}

bool Loop::advance() const {
  std::optional<Value> next = looked_ahead_ ? std::move(ahead_) : pull();
  looked_ahead_ = false;
  if (index0_ >= 0) previous_ = current_;
  if (!next) return false;
  ++index0_;
  current_ = std::move(*next);
  return true;
}

void Loop::finish() const {
  items_.clear();
  finished_ = true;
  accept_ = nullptr;
  recurse_ = nullptr;
  current_ = Value();
  previous_ = ahead_ = last_changed_ = std::nullopt;
  next_ = 0;
}

int64_t Loop::length() const {
  if (!accept_) return static_cast<int64_t>(items_.size());
  // Filter the rest now, so that the elements left are known.
  std::vector<Value> rest;
  if (peek()) rest.push_back(*ahead_);
  while (std::optional<Value> item = pull()) rest.push_back(std::move(*item));
  auto total = index0_ + 1 + static_cast<int64_t>(rest.size());
  items_.assign(static_cast<size_t>(index0_ + 1), Value());
  items_.insert(items_.end(), rest.begin(), rest.end());
  next_ = static_cast<size_t>(index0_ + 1) + (ahead_ ? 1 : 0);
  accept_ = nullptr;
  return total;
}

std::optional<Value> Loop::attribute(Context& context, std::string_view name) const {
  if (name == "index") return Value::integer(index0_ + 1);
  if (name == "index0") return Value::integer(index0_);
  if (name == "first") return Value::boolean(index0_ == 0);
  if (name == "last") return Value::boolean(!peek());
  if (name == "length") return Value::integer(length());
  if (name == "revindex") return Value::integer(length() - index0_);
  if (name == "revindex0") return Value::integer(length() - index0_ - 1);
  if (name == "depth") return Value::integer(nesting_ + 1);
  if (name == "depth0") return Value::integer(nesting_);
  if (name == "previtem") return previous_ ? *previous_ : Value::undefined("there is no previous item");
  if (name == "nextitem") return peek() ? *ahead_ : Value::undefined("there is no next item");
  if (name != "cycle" && name != "changed") return std::nullopt;
  context.charge();
  return bound_method(name == "cycle" ? cycle_builtin : changed_builtin, Value::object(shared_from_this()));
}

Value Loop::call(Context& context, Arguments& arguments) const {
  if (!recurse_) context.fail("the loop must be marked 'recursive' to be called");
  if (arguments.positional.size() != 1 || !arguments.named.empty()) context.fail("loop() takes one iterable");
  Recurse recurse = recurse_;  // stays whole if the loop ends meanwhile
  return recurse(arguments.positional[0]);
}

Value Loop::cycle(Context& context, std::span<const Value> values) const {
  if (values.empty()) context.fail("no items for cycling given");
  return values[static_cast<size_t>(index0_) % values.size()];
}

Value Loop::changed(Context& context, std::span<const Value> values) const {
  if (finished_) context.fail("the loop has ended");
  Value now = Value::tuple({values.begin(), values.end()});
  bool changed = !last_changed_ || !equal(context, *last_changed_, now);
  last_changed_ = std::move(now);
  return Value::boolean(changed);
}

}  // namespace hyalite::jinja
