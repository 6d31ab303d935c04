// Tokens -> syntax tree.
#pragma once

#include "text/jinja/ast.h"
#include "text/jinja/source.h"

namespace hyalite::jinja {

// Throws Error{unsupported, "chat template row:column"} for what is no Jinja, for statements that Hyalite does not have, and for
// nesting too deep for any real template.
Body parse(const Source& source);

}  // namespace hyalite::jinja
