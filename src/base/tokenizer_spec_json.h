// A TokenizerSpec as JSON, as artifacts and packed checkpoints keep it: nothing is lost, and 10^5 pieces are read in milliseconds, because
// they are one string with a list of lengths. A change to its fields raises the versions of both, kArtifactVersion (compile/artifact.h) and
// kPackedVersion (importers/packed_config.h).
#pragma once

#include <string>

#include "base/json.h"
#include "base/tokenizer_spec.h"

namespace hyalite {

Json tokenizer_spec_to_json(const TokenizerSpec& spec);

// Throws Error{invalid_model} for a missing field, a wrong type, lengths that do not add up, and what check_spec (tokenizer_check.h)
// refuses. The place is `where`, of an entry of a list its path in it. What rules mean is for Tokenizer to say.
TokenizerSpec tokenizer_spec_from_json(const Json& json, const std::string& where);

}  // namespace hyalite
