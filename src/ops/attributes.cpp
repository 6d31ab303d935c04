#include "ops/attributes.h"

#include <algorithm>

#include "base/error.h"

namespace hyalite {
namespace {

template <class T>
const T& read(const Attrs& attrs, std::string_view name, const char* kind) {
  const AttrValue* value = attrs.find(name);
  if (!value) throw Error(ErrorCode::invalid_model, "attribute " + std::string(name), "is missing");
  const T* typed = std::get_if<T>(value);
  if (!typed) throw Error(ErrorCode::invalid_model, "attribute " + std::string(name), std::string("must be ") + kind);
  return *typed;
}

}  // namespace

const AttrValue* Attrs::find(std::string_view name) const {
  auto it = std::find_if(items_.begin(), items_.end(), [&](const auto& item) { return item.first == name; });
  return it == items_.end() ? nullptr : &it->second;
}

int64_t Attrs::integer(std::string_view name) const {
  return read<int64_t>(*this, name, "an integer");
}

double Attrs::real(std::string_view name) const {
  const AttrValue* value = find(name);
  if (value && std::holds_alternative<int64_t>(*value)) return static_cast<double>(std::get<int64_t>(*value));
  return read<double>(*this, name, "a number");
}

bool Attrs::boolean(std::string_view name, bool fallback) const {
  return has(name) ? read<bool>(*this, name, "true or false") : fallback;
}
const std::string& Attrs::text(std::string_view name) const {
  return read<std::string>(*this, name, "a string");
}
const std::vector<double>& Attrs::reals(std::string_view name) const {
  return read<std::vector<double>>(*this, name, "a list of numbers");
}

void Attrs::set(std::string_view name, AttrValue value) {
  for (auto& item : items_)
    if (item.first == name) {
      item.second = std::move(value);
      return;
    }
  items_.emplace_back(std::string(name), std::move(value));
}

void Attrs::erase(std::string_view name) {
  std::erase_if(items_, [&](const auto& item) { return item.first == name; });
}

}  // namespace hyalite
