#include "plan/attrs_json.h"

#include "base/error.h"

namespace hyalite {
namespace {

AttrValue value_of(const Json& json, const std::string& where) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_float()) return json.get<double>();
  if (json.is_number_integer()) return json.get<int64_t>();
  if (json.is_string()) return json.get<std::string>();
  if (json.is_array()) {
    bool reals = false, numbers = true;
    for (const Json& one : json) {
      reals = reals || one.is_number_float();
      numbers = numbers && one.is_number();
    }
    if (numbers && reals) return json.get<std::vector<double>>();
    if (numbers) return json.get<std::vector<int64_t>>();
  }
  throw Error(ErrorCode::invalid_model, where, "an attribute must be a boolean, number, string or list of numbers");
}

}  // namespace

Json attrs_to_json(const Attrs& attrs) {
  Json json = Json::object();
  for (const auto& [name, value] : attrs.items()) std::visit([&](const auto& v) { json[name] = v; }, value);
  return json;
}

Attrs attrs_from_json(const Json& json, const std::string& where) {
  if (!json.is_object()) throw Error(ErrorCode::invalid_model, where, "attributes must be an object");
  Attrs attrs;
  for (const auto& [name, value] : json.items()) attrs.set(name, value_of(value, where + "." + name));
  return attrs;
}

}  // namespace hyalite
