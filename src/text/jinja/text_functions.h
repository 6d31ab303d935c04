// Functions on marked text that filters and methods share. Each keeps the origin of every byte.
#pragma once

#include <string_view>
#include <vector>

#include "text/jinja/context.h"
#include "text/jinja/value.h"

namespace hyalite::jinja {

enum class Side { left, right, both };

// Python's strip family; `characters` null: white space.
MarkedText strip(Context& context, const MarkedText& text, const MarkedText* characters, Side side);

// Python's str.replace; a negative count replaces all.
MarkedText replace(Context& context, const MarkedText& text, const MarkedText& from, const MarkedText& to, int64_t count);

// Python's split and rsplit. `separator` null: runs of white space. A negative `limit`: no limit.
std::vector<Value> split(Context& context, const MarkedText& text, const MarkedText* separator, int64_t limit, bool from_right);
std::vector<Value> split_lines(Context& context, const MarkedText& text, bool keep_ends);

enum class Case { upper, lower, capitalize, title, swap };

// `title`: a letter behind a character without case is upper, every other lower, as str.title() has it.
MarkedText map_case(Context& context, const MarkedText& text, Case to);

MarkedText join(Context& context, const std::vector<Value>& items, const MarkedText& separator);

// `filler` around the text so that it has `width` characters; the text lies at `side` ("both": in the middle).
MarkedText pad(Context& context, const MarkedText& text, int64_t width, std::string_view filler, Side side);

}  // namespace hyalite::jinja
