// A TokenizerSpec as JSON, as an artifact keeps it: nothing is lost, and 10^5 pieces are read in milliseconds, because they are one string
// with a list of lengths.
#pragma once

#include <string>

#include "base/json.h"
#include "base/tokenizer_spec.h"

namespace hyalite {

Json tokenizer_spec_to_json(const TokenizerSpec& spec);

// Throws Error{invalid_model} with `where` for a missing field, a wrong type, or lengths that do not add up. Whether ids and rules
// make sense is for Tokenizer to say.
TokenizerSpec tokenizer_spec_from_json(const Json& json, const std::string& where);

}  // namespace hyalite
