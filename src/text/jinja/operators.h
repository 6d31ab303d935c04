// Operators, comparison and iteration with Python's meaning. All of them fail, through the context, where Python raises.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/jinja/ast.h"
#include "text/jinja/context.h"
#include "text/jinja/value.h"

namespace hyalite::jinja {

// Every operator but the logical two.
Value apply_binary(Context& context, BinaryOperator op, const Value& left, const Value& right);
Value negate(Context& context, const Value& value);

bool equal(Context& context, const Value& left, const Value& right);
// left < right; only for pairs of numbers, of texts, and of sequences.
bool less(Context& context, const Value& left, const Value& right);
bool contains(Context& context, const Value& container, const Value& item);
bool compare(Context& context, Comparison op, const Value& left, const Value& right);

// The elements of a list or tuple, the keys of a dict, the characters of a text, nothing of Undefined.
std::vector<Value> iterate(Context& context, const Value& value);
// len(value).
int64_t length(Context& context, const Value& value);

// value.name: methods come before keys. value[key]: keys come before methods. Undefined where there is neither.
Value get_attribute(Context& context, const Value& value, std::string_view name);
Value get_item(Context& context, const Value& value, const Value& key);
// value[start:stop:step]; the bounds may be None.
Value get_slice(Context& context, const Value& value, const Value& start, const Value& stop, const Value& step);

// "{} and {name}".format(...); fields are plain or have attributes and indices, no format specification.
Value format_braces(Context& context, const MarkedText& format, std::span<const Value> positional,
                    std::span<const std::pair<std::string, Value>> named);
// "%s and %d" % arguments; `mapping`, a dict or null, serves "%(name)s".
Value format_percent(Context& context, const MarkedText& format, const std::vector<Value>& positional, const Value* mapping);

}  // namespace hyalite::jinja
