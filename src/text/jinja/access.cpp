// Iteration, attributes, subscripts and slices.
#include <algorithm>

#include "text/jinja/objects.h"
#include "text/jinja/operators.h"
#include "text/jinja/unicode.h"

namespace hyalite::jinja {

namespace {

// Byte offsets where characters begin, and the end.
std::vector<size_t> character_offsets(Context& context, const MarkedText& text) {
  context.charge_text(text.size());
  std::vector<size_t> offsets;
  for (size_t at = 0; at < text.size(); at += code_point_at(text.bytes(), at).size) offsets.push_back(at);
  offsets.push_back(text.size());
  return offsets;
}

Value missing_attribute(const Value& value, std::string_view name) {
  return Value::undefined("'" + std::string(value.type_name()) + " object' has no attribute '" + std::string(name) + "'");
}

Value element(Context& context, const Value& value, int64_t index) {
  bool text = value.is(Kind::text);
  int64_t size = length(context, value);
  int64_t at = index < 0 ? index + size : index;
  if (at < 0 || at >= size) {
    return Value::undefined("'" + std::string(value.type_name()) + " object' has no element " + std::to_string(index));
  }
  if (!text) return value.as_items()[static_cast<size_t>(at)];
  const MarkedText& bytes = value.as_text();
  size_t begin = offset_of_code_point(bytes.bytes(), static_cast<size_t>(at));
  return Value::text(bytes.slice(begin, begin + code_point_at(bytes.bytes(), begin).size));
}

// A bound of a slice: `value` or, for None, `missing`.
int64_t slice_bound(Context& context, const Value& value, int64_t missing) {
  if (value.is(Kind::none)) return missing;
  if (value.is(Kind::undefined)) context.fail(value.undefined_message());
  if (!value.is_integral()) context.fail("slice bounds must be integers or None, not " + std::string(value.type_name()));
  return value.as_integer();
}

// Python's slice.indices(): the elements that a slice of `size` elements picks, in order.
std::vector<size_t> slice_indices(Context& context, int64_t size, const Value& start, const Value& stop, const Value& step) {
  int64_t stride = slice_bound(context, step, 1);
  if (stride == 0) context.fail("a slice step cannot be zero");
  int64_t low = stride > 0 ? 0 : -1, high = stride > 0 ? size : size - 1;
  auto clamp = [&](const Value& bound, int64_t missing) {
    int64_t at = slice_bound(context, bound, missing);
    if (!bound.is(Kind::none) && at < 0) at += size;
    return std::clamp(at, low, high);
  };
  int64_t first = clamp(start, stride > 0 ? low : high), last = clamp(stop, stride > 0 ? high : low);
  std::vector<size_t> indices;
  stride = std::clamp(stride, -size - 1, size + 1);
  for (int64_t at = first; stride > 0 ? at < last : at > last; at += stride) indices.push_back(static_cast<size_t>(at));
  return indices;
}

Value slice_text(Context& context, const MarkedText& text, const Value& start, const Value& stop, const Value& step) {
  std::vector<size_t> offsets = character_offsets(context, text);
  std::vector<size_t> indices = slice_indices(context, static_cast<int64_t>(offsets.size()) - 1, start, stop, step);
  if (indices.empty()) return Value::text("");
  if (slice_bound(context, step, 1) == 1) return Value::text(text.slice(offsets[indices.front()], offsets[indices.back() + 1]));
  MarkedText out;
  for (size_t index : indices) out.append_slice(text, offsets[index], offsets[index + 1]);
  return Value::text(std::move(out));
}

}  // namespace

std::vector<Value> iterate(Context& context, const Value& value) {
  std::vector<Value> items;
  switch (value.kind()) {
    case Kind::undefined: break;
    case Kind::text: {
      std::vector<size_t> offsets = character_offsets(context, value.as_text());
      context.charge_items(offsets.size());
      for (size_t i = 0; i + 1 < offsets.size(); ++i) items.push_back(Value::text(value.as_text().slice(offsets[i], offsets[i + 1])));
      break;
    }
    case Kind::list:
    case Kind::tuple:
      context.charge_items(value.as_items().size());
      items = value.as_items();
      break;
    case Kind::dict:
      context.charge_items(value.as_dict().items.size());
      for (const auto& item : value.as_dict().items) items.push_back(item.first);
      break;
    default: context.fail("'" + std::string(value.type_name()) + "' object is not iterable");
  }
  return items;
}

int64_t length(Context& context, const Value& value) {
  switch (value.kind()) {
    case Kind::undefined: return 0;
    case Kind::text: context.charge(value.as_text().size()); return static_cast<int64_t>(count_code_points(value.as_bytes()));
    case Kind::list:
    case Kind::tuple: return static_cast<int64_t>(value.as_items().size());
    case Kind::dict: return static_cast<int64_t>(value.as_dict().items.size());
    default: context.fail("object of type '" + std::string(value.type_name()) + "' has no length");
  }
}

Value get_attribute(Context& context, const Value& value, std::string_view name) {
  context.charge(name.size());
  if (value.is(Kind::undefined)) context.fail(value.undefined_message());
  if (value.is(Kind::object)) {
    auto found = value.as_object().attribute(context, name);
    return found ? *found : missing_attribute(value, name);
  }
  if (const Builtin* method = find_method(value, name)) return bound_method(*method, value);
  if (value.is(Kind::dict)) {
    if (const Value* found = value.as_dict().find(context, name)) return *found;
  }
  return missing_attribute(value, name);
}

Value get_item(Context& context, const Value& value, const Value& key) {
  context.charge();
  if (value.is(Kind::undefined)) context.fail(value.undefined_message());
  if (value.is(Kind::dict)) {
    if (const Value* found = value.as_dict().find(context, key)) return *found;
  } else if (key.is_integral() && (value.is_sequence() || value.is(Kind::text))) {
    return element(context, value, key.as_integer());
  }
  if (key.is(Kind::text)) return get_attribute(context, value, key.as_bytes());
  return Value::undefined("'" + std::string(value.type_name()) + " object' has no such element");
}

Value get_slice(Context& context, const Value& value, const Value& start, const Value& stop, const Value& step) {
  if (value.is(Kind::undefined)) context.fail(value.undefined_message());
  if (value.is(Kind::text)) return slice_text(context, value.as_text(), start, stop, step);
  if (!value.is_sequence()) return Value::undefined("'" + std::string(value.type_name()) + " object' cannot be sliced");
  const auto& items = value.as_items();
  context.charge_items(items.size());
  std::vector<Value> picked;
  for (size_t index : slice_indices(context, static_cast<int64_t>(items.size()), start, stop, step)) picked.push_back(items[index]);
  return value.is(Kind::list) ? Value::list(std::move(picked)) : Value::tuple(std::move(picked));
}

}  // namespace hyalite::jinja
