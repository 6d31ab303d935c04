#include "importers/gguf_metadata.h"

#include <charconv>
#include <cstring>
#include <limits>

#include "base/error.h"

namespace hyalite {
namespace {

struct TypeRow {
  const char* name;
  size_t size;
};
constexpr TypeRow kTypes[] = {{"u8", 1},      {"i8", 1},     {"u16", 2},   {"i16", 2}, {"u32", 4}, {"i32", 4}, {"f32", 4},
                              {"boolean", 1}, {"string", 0}, {"array", 0}, {"u64", 8}, {"i64", 8}, {"f64", 8}};
constexpr uint32_t kTypeCount = sizeof kTypes / sizeof kTypes[0];

// GGUF and every host that Hyalite runs on are little-endian; the files are not aligned.
template <class T>
T load(const uint8_t* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

bool is_integer(GgufType type) {
  return size_of(type) && type != GgufType::f32 && type != GgufType::f64 && type != GgufType::boolean;
}

// The integer at `at`, or nothing where a u64 exceeds the range of int64_t.
std::optional<int64_t> load_integer(GgufType type, const uint8_t* at) {
  switch (type) {
    case GgufType::u8:
    case GgufType::boolean: return *at;
    case GgufType::i8: return load<int8_t>(at);
    case GgufType::u16: return load<uint16_t>(at);
    case GgufType::i16: return load<int16_t>(at);
    case GgufType::u32: return load<uint32_t>(at);
    case GgufType::i32: return load<int32_t>(at);
    case GgufType::i64: return load<int64_t>(at);
    default: break;
  }
  auto wide = load<uint64_t>(at);
  if (wide > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) return std::nullopt;
  return static_cast<int64_t>(wide);
}

double shortest_double(float value) {
  char text[32];
  auto end = std::to_chars(text, text + sizeof text, value).ptr;
  double result = value;
  std::from_chars(text, end, result);
  return result;
}

std::string describe(const GgufValue& value) {
  return (value.is_array ? "an array of " : "of type ") + name_of(value.type);
}

}  // namespace

size_t size_of(GgufType type) {
  return static_cast<uint32_t>(type) < kTypeCount ? kTypes[static_cast<uint32_t>(type)].size : 0;
}

std::string name_of(GgufType type) {
  auto number = static_cast<uint32_t>(type);
  return number < kTypeCount ? kTypes[number].name : "type " + std::to_string(number);
}

void GgufMetadata::refuse(std::string_view key, const std::string& message) const {
  throw Error(ErrorCode::invalid_model, file_ + ": key " + std::string(key), message);
}

bool GgufMetadata::add(std::string_view key, const GgufValue& value) {
  if (!values_.emplace(key, value).second) return false;
  keys_.push_back(key);
  return true;
}

const GgufValue* GgufMetadata::find(std::string_view key) const {
  auto it = values_.find(key);
  return it == values_.end() ? nullptr : &it->second;
}

const GgufValue* GgufMetadata::find(std::string_view key, bool array, const char* expected) const {
  const GgufValue* value = find(key);
  if (value && value->is_array != array) refuse(key, "is " + describe(*value) + ", expected " + expected);
  return value;
}

std::optional<std::string_view> GgufMetadata::string(std::string_view key) const {
  const GgufValue* value = find(key, false, "a string");
  if (!value) return std::nullopt;
  if (value->type != GgufType::string) refuse(key, "is " + describe(*value) + ", expected a string");
  return std::string_view(reinterpret_cast<const char*>(value->bytes.data()), value->bytes.size());
}

std::optional<bool> GgufMetadata::boolean(std::string_view key) const {
  const GgufValue* value = find(key, false, "a boolean");
  if (!value) return std::nullopt;
  if (value->type != GgufType::boolean) refuse(key, "is " + describe(*value) + ", expected a boolean");
  return value->bytes[0] != 0;
}

std::optional<int64_t> GgufMetadata::integer(std::string_view key) const {
  const GgufValue* value = find(key, false, "an integer");
  if (!value) return std::nullopt;
  if (!is_integer(value->type)) refuse(key, "is " + describe(*value) + ", expected an integer");
  auto result = load_integer(value->type, value->bytes.data());
  if (!result) refuse(key, "is larger than 2^63 - 1");
  return result;
}

std::optional<uint64_t> GgufMetadata::unsigned_integer(std::string_view key) const {
  auto value = integer(key);
  if (!value) return std::nullopt;
  if (*value < 0) refuse(key, "is " + std::to_string(*value) + ", expected no negative number");
  return static_cast<uint64_t>(*value);
}

std::optional<double> GgufMetadata::number(std::string_view key) const {
  const GgufValue* value = find(key, false, "a number");
  if (!value) return std::nullopt;
  if (value->type == GgufType::f32) return shortest_double(load<float>(value->bytes.data()));
  if (value->type == GgufType::f64) return load<double>(value->bytes.data());
  if (!is_integer(value->type)) refuse(key, "is " + describe(*value) + ", expected a number");
  return static_cast<double>(*integer(key));
}

std::vector<std::string_view> GgufMetadata::strings(std::string_view key) const {
  const GgufValue* value = find(key, true, "an array of strings");
  if (!value) return {};
  if (value->type != GgufType::string) refuse(key, "is " + describe(*value) + ", expected an array of strings");
  std::vector<std::string_view> result(value->count);
  const uint8_t* at = value->bytes.data();
  for (auto& text : result) {
    auto length = load<uint64_t>(at);
    text = {reinterpret_cast<const char*>(at + 8), static_cast<size_t>(length)};
    at += 8 + length;
  }
  return result;
}

std::vector<float> GgufMetadata::floats(std::string_view key) const {
  const GgufValue* value = find(key, true, "an array of floats");
  if (!value) return {};
  std::vector<float> result(value->count);
  const uint8_t* at = value->bytes.data();
  if (value->type == GgufType::f32) {
    if (!result.empty()) std::memcpy(result.data(), at, value->bytes.size());
  } else if (value->type == GgufType::f64) {
    for (size_t i = 0; i < result.size(); ++i) result[i] = static_cast<float>(load<double>(at + 8 * i));
  } else {
    refuse(key, "is " + describe(*value) + ", expected an array of floats");
  }
  return result;
}

std::vector<int64_t> GgufMetadata::integers(std::string_view key) const {
  const GgufValue* value = find(key, true, "an array of integers");
  if (!value) return {};
  if (!is_integer(value->type) && value->type != GgufType::boolean)
    refuse(key, "is " + describe(*value) + ", expected an array of integers");
  const size_t step = size_of(value->type);
  std::vector<int64_t> result(value->count);
  for (size_t i = 0; i < result.size(); ++i) {
    auto element = load_integer(value->type, value->bytes.data() + i * step);
    if (!element) refuse(key, "element " + std::to_string(i) + " is larger than 2^63 - 1");
    result[i] = *element;
  }
  return result;
}

uint64_t GgufMetadata::array_size(std::string_view key) const {
  const GgufValue* value = find(key, true, "an array");
  return value ? value->count : 0;
}

}  // namespace hyalite
