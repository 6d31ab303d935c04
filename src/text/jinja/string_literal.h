// Escapes of string literals, as in Python.
#pragma once

#include <string>
#include <string_view>

namespace hyalite::jinja {

// Appends the string that `body`, the text between the quotes, stands for. Unknown escapes stay as they are. False for a malformed
// \x, \u, \U or a code point that does not exist, and for \N{name}.
bool unescape_string(std::string_view body, std::string& out);

}  // namespace hyalite::jinja
