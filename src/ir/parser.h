// Reads the text form of graphs (grammar: ir/printer.h). Any bytes are acceptable input: time is linear and memory proportional to the
// text.
#pragma once

#include <string_view>

#include "ir/graph.h"

namespace hyalite {

// Throws Error{invalid_model, "file:line:column", message} at the first thing that is wrong: syntax, an unknown op or attribute, an
// attribute of another type or missing, a wrong number of operands, a value undefined or defined twice, two graphs of one name, a size out
// of range. Everything else (order of state, types that do not follow from the ops) is the verifier's.
Module parse_module(std::string_view text, std::string_view file_name);

}  // namespace hyalite
