#include "text/jinja/attribute_path.h"

#include <algorithm>
#include <charconv>

#include "text/jinja/arguments.h"
#include "text/jinja/text_functions.h"

namespace hyalite::jinja {

Value follow_path(Context& context, const Value& value, const Value& path, const Value* fallback) {
  if (path.is_integral()) return get_item(context, value, path);
  std::string_view rest = text_argument(context, path).bytes();
  Value current = value;
  for (bool more = true; more;) {
    size_t dot = rest.find('.');
    std::string_view part = rest.substr(0, dot);
    more = dot != std::string_view::npos;
    if (more) rest.remove_prefix(dot + 1);
    context.charge(part.size());
    int64_t index = 0;
    bool digits = !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
    bool fits = std::from_chars(part.data(), part.data() + part.size(), index).ec == std::errc();
    current = get_item(context, current, digits && fits ? Value::integer(index) : Value::text(part));
    if (fallback && current.is(Kind::undefined)) current = *fallback;
  }
  return current;
}

Value sort_key(Context& context, const Value& value, const Value* path, bool case_sensitive) {
  bool direct = !path || path->is(Kind::none);
  Value key = direct ? value : follow_path(context, value, *path);
  if (case_sensitive || !key.is(Kind::text)) return key;
  return Value::text(map_case(context, key.as_text(), Case::lower));
}

// std::stable_sort would be undefined for the unordered NaN; a merge sort of our own is not.
void sort_by_key(Context& context, std::vector<std::pair<Value, Value>>& keyed, bool reverse) {
  std::vector<std::pair<Value, Value>> merged(keyed.size());
  for (size_t width = 1; width < keyed.size(); width *= 2) {
    for (size_t begin = 0; begin < keyed.size(); begin += 2 * width) {
      size_t middle = std::min(begin + width, keyed.size()), end = std::min(begin + 2 * width, keyed.size());
      size_t left = begin, right = middle;
      for (size_t to = begin; to < end; ++to) {
        auto right_first = [&] {
          const Value &a = keyed[left].first, &b = keyed[right].first;
          return reverse ? less(context, a, b) : less(context, b, a);
        };
        bool from_right = left >= middle || (right < end && right_first());
        merged[to] = std::move(keyed[from_right ? right++ : left++]);
      }
    }
    keyed.swap(merged);
  }
}

}  // namespace hyalite::jinja
