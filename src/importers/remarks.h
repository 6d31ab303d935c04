// What importers tell people.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hyalite {

// A name out of a file, as it may be printed and written to JSON: valid UTF-8 (what is not becomes U+FFFD), at most 200 bytes or so.
std::string readable(std::string_view name);

// Adds a remark where the tokenizer has more tokens than the embedding has rows.
void note_larger_tokenizer(size_t tokens, int64_t rows, std::vector<std::string>& remarks);

// Adds one remark that lists the tensors that were ignored. Throws Error{unsupported} where one of them is a bias or its name begins as
// those of layers do: it belongs to what is used, so the model would not compute what its author meant.
void note_unused_tensors(std::vector<std::string> names, const std::string& layers, const std::string& file,
                         std::vector<std::string>& remarks);

}  // namespace hyalite
