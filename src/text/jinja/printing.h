// Values as text: Python's str() and repr(), and JSON.
#pragma once

#include <string>
#include <string_view>

#include "text/jinja/context.h"
#include "text/jinja/value.h"

namespace hyalite::jinja {

// Python's repr(float): the shortest digits that read back the same, "1e+16" from 1e16 on and "1e-05" below 1e-4.
std::string format_real(double value);

// str(value), with the marks of the text it holds.
void append_str(Context& context, MarkedText& out, const Value& value);
MarkedText to_text(Context& context, const Value& value);

struct JsonStyle {
  bool ensure_ascii = false;
  bool sort_keys = false;
  bool indented = false;
  std::string indent;  // of one level, when indented
  std::string item_separator = ", ", key_separator = ": ";
};

// json.dumps(value). The result is a user's text when any part of the value is.
MarkedText to_json(Context& context, const Value& value, const JsonStyle& style);

}  // namespace hyalite::jinja
