// Whether a TokenizerSpec can be indexed by the ids and sizes it states. Readers of files check before anything uses one.
#pragma once

#include <string>

#include "base/tokenizer_spec.h"

namespace hyalite {

// Throws Error{invalid_model} at "where: field" unless there is a kind (and a score, where the model has scores) a piece, every id is that
// of a piece, every score is finite, every piece is valid UTF-8, and the lists that tokenizer_limits.h bounds (rules, prefix and suffix,
// bytes of all pieces) are within it. What rules mean is for Tokenizer to say.
void check_spec(const TokenizerSpec& spec, const std::string& where);

}  // namespace hyalite
