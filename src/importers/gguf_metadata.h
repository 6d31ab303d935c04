// The key table of a GGUF file, read-only. Strings and arrays are views into the mapped file: they live as long as it does, and nothing is
// copied for a vocabulary of any size.
//
// A getter gives nothing (nullopt, an empty array) where the key is absent, and throws Error{invalid_model} naming file and key where its
// value has another type or does not fit the result.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace hyalite {

// The value types of the format, by their number in the file.
enum class GgufType : uint32_t { u8, i8, u16, i16, u32, i32, f32, boolean, string, array, u64, i64, f64 };

// Bytes of a scalar; 0 for strings, arrays and numbers that name no type.
size_t size_of(GgufType type);
// "u32", "string", "array", ...; "type 77" for a number that names no type.
std::string name_of(GgufType type);

// A checked value: its raw little-endian bytes, without length prefixes for scalars and strings. For an array, `bytes` covers the elements
// (strings with their u64 lengths, every one of them inside `bytes`).
struct GgufValue {
  GgufType type = GgufType::u8;  // of the elements, where is_array
  bool is_array = false;
  uint64_t count = 1;  // elements
  std::span<const uint8_t> bytes;
};

class GgufMetadata {
 public:
  explicit GgufMetadata(std::string file) : file_(std::move(file)) {}

  const std::string& file() const { return file_; }  // for messages
  bool has(std::string_view key) const { return find(key) != nullptr; }
  bool is_array(std::string_view key) const { return find(key) && find(key)->is_array; }
  size_t size() const { return values_.size(); }

  std::optional<std::string_view> string(std::string_view key) const;
  std::optional<bool> boolean(std::string_view key) const;
  // Any integer type that holds a value in range.
  std::optional<uint64_t> unsigned_integer(std::string_view key) const;
  std::optional<int64_t> integer(std::string_view key) const;
  // Any float or integer type. A 32-bit float becomes the double that its shortest decimal names, so that 1e-6f reads as 1e-6.
  std::optional<double> number(std::string_view key) const;

  std::vector<std::string_view> strings(std::string_view key) const;
  std::vector<float> floats(std::string_view key) const;      // f32 or f64 elements
  std::vector<int64_t> integers(std::string_view key) const;  // any integer or boolean elements
  // Elements of an array; 0 where it is absent. Costs nothing.
  uint64_t array_size(std::string_view key) const;

  // False where the key is there already. The bytes behind both views must outlive this object.
  bool add(std::string_view key, const GgufValue& value);
  // Keys in the order of the file, each of which find() gives a value.
  const std::vector<std::string_view>& keys() const { return keys_; }
  const GgufValue* find(std::string_view key) const;  // nullptr where it is absent

  // Error{invalid_model} about `key`, for callers that find a value unfit.
  [[noreturn]] void refuse(std::string_view key, const std::string& message) const;

 private:
  const GgufValue* find(std::string_view key, bool array, const char* expected) const;

  std::string file_;
  std::unordered_map<std::string_view, GgufValue> values_;
  std::vector<std::string_view> keys_;
};

}  // namespace hyalite
