// What both formats of base files must fulfil before any of their numbers is used. All errors are Error{invalid_model} naming `where`.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace hyalite {

// `windows` windows of `context` tokens over `vocab` ids: each so small that products of two stay far from overflow.
void check_base_shape(int64_t context, int64_t windows, int64_t vocab, const std::string& where);

// Every id is one of the vocabulary. `offset` is where the first stands in the file.
void check_base_ids(std::span<const int32_t> ids, int64_t vocab, size_t offset, const std::string& where);

}  // namespace hyalite
