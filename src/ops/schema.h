// Attributes against an op's schema; shared by the parser, the verifier and the check of plans.
#pragma once

#include <string>
#include <string_view>

#include "ops/op_spec.h"

namespace hyalite {

const AttrSpec* find_attr(const OpSpec& op, std::string_view name);   // nullptr where the op has none of that name
const AttrSpec* first_missing(const OpSpec& op, const Attrs& attrs);  // a required attribute that is not there, or nullptr
bool fits(const AttrSpec& spec, const AttrValue& value);              // type only; an integer may stand for a real
std::string describe(const AttrSpec& spec);                           // "an integer"

// Throws Error{invalid_model} at "attribute NAME" where one is unknown, of another type, not finite, given twice or missing.
void check_attrs(const OpSpec& op, const Attrs& attrs);

}  // namespace hyalite
