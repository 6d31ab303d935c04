#include "text/jinja/cycler.h"

#include "text/jinja/context.h"

namespace hyalite::jinja {

namespace {

const Cycler& cycler_of(const Value& self) {
  return static_cast<const Cycler&>(self.as_object());
}

constexpr Builtin next_builtin = {"next", "", 0, [](Context&, const Value& self, const Bound&) { return cycler_of(self).next(); }};
constexpr Builtin reset_builtin = {"reset", "", 0, [](Context&, const Value& self, const Bound&) {
                                     cycler_of(self).reset();
                                     return Value();
                                   }};

}  // namespace

const Value& Cycler::next() const {
  const Value& now = items_.as_items()[at_];
  at_ = (at_ + 1) % items_.as_items().size();
  return now;
}

std::optional<Value> Cycler::attribute(Context& context, std::string_view name) const {
  if (name == "current") return items_.as_items()[at_];
  if (name != "next" && name != "reset") return std::nullopt;
  context.charge();
  return bound_method(name == "next" ? next_builtin : reset_builtin, Value::object(shared_from_this()));
}

Value Joiner::call(Context& context, Arguments& arguments) const {
  if (!arguments.positional.empty() || !arguments.named.empty()) context.fail("a joiner takes no arguments");
  return std::exchange(used_, true) ? separator_.as_items()[0] : Value::text("");
}

}  // namespace hyalite::jinja
