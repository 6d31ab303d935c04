// Base64 (RFC 4648, padded): bytes inside JSON.
#pragma once

#include <string>
#include <string_view>

namespace hyalite {

std::string to_base64(std::string_view bytes);

// Throws Error{invalid_model} with `where` for a character outside the alphabet.
std::string from_base64(std::string_view text, const std::string& where);

}  // namespace hyalite
