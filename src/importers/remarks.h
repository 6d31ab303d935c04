// What importers say about tensors that the model has no use for.
#pragma once

#include <string>
#include <vector>

namespace hyalite {

// Adds one remark that lists the tensors that were ignored. Throws Error{unsupported} where one of them is a bias: it belongs to a matrix
// that is used, so the model would not compute what its author meant.
void note_unused_tensors(std::vector<std::string> names, const std::string& file, std::vector<std::string>& remarks);

}  // namespace hyalite
