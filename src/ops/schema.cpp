#include "ops/schema.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

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

bool finite(const AttrValue& value) {
  if (const double* real = std::get_if<double>(&value)) return std::isfinite(*real);
  const auto* reals = std::get_if<std::vector<double>>(&value);
  return !reals || std::ranges::all_of(*reals, [](double real) { return std::isfinite(real); });
}

// Called only where a rule is broken: graphs are checked after every pass, and messages cost more than checks.
[[noreturn]] void fail(std::string_view attribute, const std::string& message) {
  throw Error(ErrorCode::invalid_model, "attribute " + std::string(attribute), message);
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

void check_attrs(const OpSpec& op, const Attrs& attrs) {
  for (const auto& [name, value] : attrs.items()) {
    const AttrSpec* spec = find_attr(op, name);
    if (!spec) fail(name, "is not one of the op's");
    if (!fits(*spec, value)) fail(name, "must be " + describe(*spec));
    if (!finite(value)) fail(name, "is not finite");
    if (attrs.find(name) != &value) fail(name, "is given twice");
  }
  if (const AttrSpec* missing = first_missing(op, attrs)) fail(missing->name, "is missing");
}

}  // namespace hyalite
