#include "ops/schema.h"

#include <algorithm>

namespace hyalite {
namespace {

struct AttrType {
  std::string_view name, description;
  bool (*holds)(const AttrValue& value);
};

template <class... Types>
bool holds(const AttrValue& value) {
  return (std::holds_alternative<Types>(value) || ...);
}

constexpr AttrType kTypes[] = {
    {"int", "an integer", holds<int64_t>},
    {"real", "a number", holds<double, int64_t>},
    {"bool", "true or false", holds<bool>},
    {"text", "a string", holds<std::string>},
    {"reals", "a list of numbers", holds<std::vector<double>>},
};

const AttrType& type_of(const AttrSpec& spec) {
  return *std::ranges::find(kTypes, std::string_view(spec.type), &AttrType::name);
}

}  // namespace

const AttrSpec* find_attr(const OpSpec& op, std::string_view name) {
  auto it = std::ranges::find_if(op.attrs, [&](const AttrSpec& spec) { return spec.name == name; });
  return it == op.attrs.end() ? nullptr : &*it;
}

const AttrSpec* first_missing(const OpSpec& op, const Attrs& attrs) {
  auto it = std::ranges::find_if(op.attrs, [&](const AttrSpec& spec) { return spec.required && !attrs.has(spec.name); });
  return it == op.attrs.end() ? nullptr : &*it;
}

bool fits(const AttrSpec& spec, const AttrValue& value) {
  return type_of(spec).holds(value);
}

std::string describe(const AttrSpec& spec) {
  return std::string(type_of(spec).description);
}

}  // namespace hyalite
