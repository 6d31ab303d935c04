#include <algorithm>

#include "text/jinja/operators.h"

namespace hyalite::jinja {

bool equal(Context& context, const Value& left, const Value& right) {
  context.charge();
  if (left.is_number() && right.is_number()) {
    if (left.is(Kind::real) || right.is(Kind::real)) return left.as_real() == right.as_real();
    return left.as_integer() == right.as_integer();
  }
  if (left.kind() != right.kind()) return false;
  switch (left.kind()) {
    case Kind::text: context.charge(left.as_text().size()); return left.as_bytes() == right.as_bytes();
    case Kind::list:
    case Kind::tuple:
      return std::equal(left.as_items().begin(), left.as_items().end(), right.as_items().begin(), right.as_items().end(),
                        [&](const Value& a, const Value& b) { return equal(context, a, b); });
    case Kind::dict: {
      const Dict &a = left.as_dict(), &b = right.as_dict();
      return a.items.size() == b.items.size() && std::all_of(a.items.begin(), a.items.end(), [&](const auto& item) {
               const Value* other = b.find(context, item.first);
               return other && equal(context, item.second, *other);
             });
    }
    case Kind::object: return left.same_as(right);
    default: return true;
  }
}

bool less(Context& context, const Value& left, const Value& right) {
  context.charge();
  if (left.is_number() && right.is_number()) {
    if (left.is(Kind::real) || right.is(Kind::real)) return left.as_real() < right.as_real();
    return left.as_integer() < right.as_integer();
  }
  if (left.is(Kind::undefined)) context.fail(left.undefined_message());
  if (right.is(Kind::undefined)) context.fail(right.undefined_message());
  if (left.kind() == right.kind() && left.is(Kind::text)) {
    context.charge(std::min(left.as_text().size(), right.as_text().size()));
    return left.as_bytes() < right.as_bytes();
  }
  if (left.kind() == right.kind() && left.is_sequence()) {
    const auto &a = left.as_items(), &b = right.as_items();
    for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
      if (!equal(context, a[i], b[i])) return less(context, a[i], b[i]);
    }
    return a.size() < b.size();
  }
  context.fail("'" + std::string(left.type_name()) + "' and '" + std::string(right.type_name()) + "' cannot be ordered");
}

bool contains(Context& context, const Value& container, const Value& item) {
  switch (container.kind()) {
    case Kind::undefined: return false;
    case Kind::text:
      if (!item.is(Kind::text)) context.fail("'in <str>' requires a str on its left, not " + std::string(item.type_name()));
      context.charge_search(container.as_text().size(), item.as_text().size());
      return container.as_bytes().find(item.as_bytes()) != std::string::npos;
    case Kind::list:
    case Kind::tuple:
      return std::any_of(container.as_items().begin(), container.as_items().end(),
                         [&](const Value& candidate) { return equal(context, candidate, item); });
    case Kind::dict:
      if (!hash_key(context, item)) context.fail("unhashable type: '" + std::string(item.type_name()) + "'");
      return container.as_dict().find(context, item) != nullptr;
    default: context.fail("'" + std::string(container.type_name()) + "' is no container for 'in'");
  }
}

bool compare(Context& context, Comparison op, const Value& left, const Value& right) {
  switch (op) {
    case Comparison::equal: return equal(context, left, right);
    case Comparison::not_equal: return !equal(context, left, right);
    case Comparison::less: return less(context, left, right);
    case Comparison::greater: return less(context, right, left);
    case Comparison::less_equal: return less(context, left, right) || equal(context, left, right);
    case Comparison::greater_equal: return less(context, right, left) || equal(context, left, right);
    case Comparison::in: return contains(context, right, left);
    case Comparison::not_in: return !contains(context, right, left);
  }
  return false;
}

}  // namespace hyalite::jinja
