#include "importers/json_fields.h"

#include <cmath>
#include <limits>

#include "base/error.h"

namespace hyalite {

JsonFields::JsonFields(const Json& object, std::string where) : object_(&object), where_(std::move(where)) {
  if (!object.is_object()) throw Error(ErrorCode::invalid_model, where_, "is " + std::string(object.type_name()) + ", expected an object");
}

void JsonFields::refuse(const char* field, const std::string& message) const {
  throw Error(ErrorCode::invalid_model, where(field), message);
}
void JsonFields::unsupported(const char* field, const std::string& message) const {
  throw Error(ErrorCode::unsupported, where(field), message);
}

const Json* JsonFields::find(const char* field) const {
  const auto at = object_->find(field);
  return at == object_->end() || at->is_null() ? nullptr : &*at;
}

std::optional<int64_t> JsonFields::integer(const char* field) const {
  const Json* value = find(field);
  if (!value) return std::nullopt;
  if (!value->is_number_integer()) refuse(field, "is " + std::string(value->type_name()) + ", expected an integer");
  if (value->is_number_unsigned() && value->get<uint64_t>() > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
    refuse(field, "is larger than 2^63 - 1");
  return value->get<int64_t>();
}

std::optional<double> JsonFields::number(const char* field) const {
  const Json* value = find(field);
  if (!value) return std::nullopt;
  if (!value->is_number()) refuse(field, "is " + std::string(value->type_name()) + ", expected a number");
  const auto number = value->get<double>();
  if (!std::isfinite(number)) refuse(field, "is not finite");
  return number;
}

std::optional<bool> JsonFields::boolean(const char* field) const {
  const Json* value = find(field);
  if (!value) return std::nullopt;
  if (!value->is_boolean()) refuse(field, "is " + std::string(value->type_name()) + ", expected true or false");
  return value->get<bool>();
}

std::optional<std::string> JsonFields::string(const char* field) const {
  const Json* value = find(field);
  if (!value) return std::nullopt;
  if (!value->is_string()) refuse(field, "is " + std::string(value->type_name()) + ", expected a string");
  return value->get<std::string>();
}

std::optional<JsonFields> JsonFields::object(const char* field) const {
  const Json* value = find(field);
  if (!value) return std::nullopt;
  return JsonFields(*value, where(field));
}

int64_t JsonFields::required_integer(const char* field) const {
  const auto value = integer(field);
  if (!value) refuse(field, "is missing");
  return *value;
}

}  // namespace hyalite
