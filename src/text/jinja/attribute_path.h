// "a.b.0" as filters take it: a path through items and attributes of a value.
#pragma once

#include <string_view>

#include "text/jinja/operators.h"

namespace hyalite::jinja {

// `path` is a text of parts between dots, or an integer index. A missing step gives `fallback` where that is not null.
Value follow_path(Context& context, const Value& value, const Value& path, const Value* fallback = nullptr);

// What sort, unique, min and max compare: the value at `path` (null or None: the value itself), lower-cased unless case matters.
Value sort_key(Context& context, const Value& value, const Value* path, bool case_sensitive);

// A stable sort by less(), which may fail half way.
void sort_by_key(Context& context, std::vector<std::pair<Value, Value>>& keyed, bool reverse);

}  // namespace hyalite::jinja
