// Graphs as text. The text is the IR: parse_module(print(m)) == m at every stage.
//
//   module     = [ "stage" string ] graph*
//   graph      = "graph" "@" name "(" [ value ":" type { "," value ":" type } ] ")" [ "->" "(" [ type { "," type } ] ")" ] "{"
//                node* "return" [ value { "," value } ] "}"
//   node       = value { "," value } "=" op [ operand { "," operand } ] [ "{" attr { "," attr } "}" ] [ ":" type { "," type } ]
//                [ "at" string ] [ "by" string ] [ "from" string { "," string } ]
//   operand    = value | "none"                        none: an optional operand that is absent
//   value      = "%" name
//   name       = word | string                         word: letters, digits, "_" and "."; a string where a name holds others
//   attr       = word "=" ( "true" | "false" | integer | real | string | "[" [ number { "," number } ] "]" )
//   real       = a number with a point or an exponent, the shortest that reads back as the same double
//   type       = "?" | "batch" | "cache" | "tensor" "<" { dim "x" } format ">"
//   dim        = positive integer | "T" | "B" | "L"    tokens of the step, sequences, rows with logits
//   string     = double quotes; escapes \" \\ \n \t \r and \xHH; bytes that are not UTF-8 are always escaped
//   "//" opens a comment that ends with its line.
//
// The printer writes one node a line and every part that the brackets make optional, except empty ones. `at` is the node's module path,
// `by` the pass that made it, `from` the paths of the nodes it replaced. Types may be left out (or "?"): shape inference fills them in.
#pragma once

#include <string>

#include "ir/graph.h"

namespace hyalite {

// Throws Error{invalid_model} for an attribute that is not finite: text has no form for it.
std::string print(const Graph& graph);
std::string print(const Module& module);

// Parts of the above, for messages and reports.
std::string print(const ValueType& type);
std::string print(const AttrValue& value);
std::string print_node(const Graph& graph, NodeId id);  // one line without indent or line end

}  // namespace hyalite
