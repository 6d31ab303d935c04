// Attributes as JSON, keeping the difference between integers and reals. Used by the plan's text form and by exports.
#pragma once

#include <string>

#include "base/json.h"
#include "ops/attributes.h"

namespace hyalite {

Json attrs_to_json(const Attrs& attrs);
// Throws Error{invalid_model} at `where` for a value that is no attribute.
Attrs attrs_from_json(const Json& json, const std::string& where);

}  // namespace hyalite
