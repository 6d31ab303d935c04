// Reading the arguments of built-ins as C++ values, with their defaults.
#pragma once

#include <string>

#include "text/jinja/builtins.h"
#include "text/jinja/operators.h"
#include "text/jinja/printing.h"

namespace hyalite::jinja {

inline int64_t integer_argument(Context& context, const Value& value) {
  if (value.is(Kind::undefined)) context.fail(value.undefined_message());
  if (!value.is_integral()) context.fail("expected an integer, got '" + std::string(value.type_name()) + "'");
  return value.as_integer();
}

inline int64_t integer_or(Context& context, const Value* value, int64_t fallback) {
  return value ? integer_argument(context, *value) : fallback;
}

inline bool boolean_or(const Value* value, bool fallback) {
  return value ? value->truthy() : fallback;
}

inline const MarkedText& text_argument(Context& context, const Value& value) {
  if (value.is(Kind::undefined)) context.fail(value.undefined_message());
  if (!value.is(Kind::text)) context.fail("expected a string, got '" + std::string(value.type_name()) + "'");
  return value.as_text();
}

// None and a missing argument give the fallback.
inline MarkedText text_or(Context& context, const Value* value, std::string_view fallback) {
  return value && !value->is(Kind::none) ? text_argument(context, *value) : MarkedText(fallback, false);
}

}  // namespace hyalite::jinja
