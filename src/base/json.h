// JSON for everything: nlohmann-json, with a strict parse for bytes from outside.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

// Compiled in json.cpp, and not again in every source that reads or writes JSON.
extern template class nlohmann::basic_json<nlohmann::ordered_map>;
extern template class nlohmann::detail::serializer<nlohmann::ordered_json>;

namespace hyalite {

using Json = nlohmann::ordered_json;

// What a document can honestly hold. A caller that knows its document gives narrower ones.
struct JsonLimits {
  int max_depth = 64;
  size_t max_bytes = size_t{256} << 20;
  size_t max_values = size_t{4} << 20;  // objects, lists, strings, numbers and the like; keys do not count
  bool object = false;                  // the outermost value must be an object
};

// Parses outside bytes: refuses invalid UTF-8, nesting beyond the limit, duplicate keys and trailing bytes, before building anything
// deep. More values than the limit, and another outermost value than an object, are refused before anything is built. Throws
// Error{invalid_model} whose `where` is `where` and whose message has the byte offset of a syntax error, or the duplicate key. Linear in
// the text: objects may have hundreds of thousands of members (iterate over those; looking one up walks through them).
Json parse_json(std::string_view text, const std::string& where, const JsonLimits& limits = {});

// Reads a whole file and parses it. `where` is the path.
Json read_json_file(const std::string& path, const JsonLimits& limits = {});

// The document as text, indented by one space a level. Paths and the like may hold any bytes: what is not UTF-8 becomes U+FFFD.
std::string print_json(const Json& json);

// Bytes as JSON can carry them: what is not UTF-8 becomes U+FFFD.
std::string printable(std::string_view bytes);

}  // namespace hyalite
