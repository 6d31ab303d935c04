#include "workbench/quantize/gguf_pairs.h"

#include <algorithm>

namespace hyalite {
namespace {

template <class T>
void append(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void append_string(std::string& bytes, std::string_view text) {
  append<uint64_t>(bytes, text.size());
  bytes += text;
}

std::string begin_value(GgufType type) {
  std::string bytes;
  append(bytes, static_cast<uint32_t>(type));
  return bytes;
}

std::string begin_array(GgufType type, size_t count) {
  std::string bytes = begin_value(GgufType::array);
  append(bytes, static_cast<uint32_t>(type));
  append<uint64_t>(bytes, count);
  return bytes;
}

template <class T>
std::string scalar(GgufType type, T value) {
  std::string bytes = begin_value(type);
  append(bytes, value);
  return bytes;
}

template <class T>
std::string array(GgufType type, std::span<const T> values) {
  std::string bytes = begin_array(type, values.size());
  return bytes.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
}

std::string copy_of(const GgufValue& value) {
  const std::string_view raw(reinterpret_cast<const char*>(value.bytes.data()), value.bytes.size());
  std::string bytes = value.is_array ? begin_array(value.type, value.count) : begin_value(value.type);
  if (!value.is_array && value.type == GgufType::string) append<uint64_t>(bytes, raw.size());
  return bytes.append(raw);
}

}  // namespace

GgufPairs::GgufPairs(const GgufMetadata& metadata) {
  for (std::string_view key : metadata.keys()) pairs_.push_back({std::string(key), copy_of(*metadata.find(key))});
}

void GgufPairs::set(std::string_view key, std::string value) {
  const auto pair = std::ranges::find(pairs_, key, &Pair::key);
  if (pair != pairs_.end())
    pair->value = std::move(value);
  else
    pairs_.push_back({std::string(key), std::move(value)});
}

void GgufPairs::remove(std::string_view key) {
  std::erase_if(pairs_, [&](const Pair& pair) { return pair.key == key; });
}

void GgufPairs::set_u32(std::string_view key, uint32_t value) {
  set(key, scalar(GgufType::u32, value));
}
void GgufPairs::set_f32(std::string_view key, float value) {
  set(key, scalar(GgufType::f32, value));
}
void GgufPairs::set_boolean(std::string_view key, bool value) {
  set(key, scalar<uint8_t>(GgufType::boolean, value));
}

void GgufPairs::set_string(std::string_view key, std::string_view value) {
  std::string bytes = begin_value(GgufType::string);
  append_string(bytes, value);
  set(key, std::move(bytes));
}

void GgufPairs::set_strings(std::string_view key, const std::vector<std::string>& values) {
  std::string bytes = begin_array(GgufType::string, values.size());
  for (const std::string& value : values) append_string(bytes, value);
  set(key, std::move(bytes));
}

void GgufPairs::set_f32s(std::string_view key, std::span<const float> values) {
  set(key, array(GgufType::f32, values));
}
void GgufPairs::set_i32s(std::string_view key, std::span<const int32_t> values) {
  set(key, array(GgufType::i32, values));
}

void GgufPairs::set_booleans(std::string_view key, const std::vector<bool>& values) {
  std::string bytes = begin_array(GgufType::boolean, values.size());
  for (bool value : values) append<uint8_t>(bytes, value);
  set(key, std::move(bytes));
}

std::string GgufPairs::bytes() const {
  std::string bytes;
  for (const Pair& pair : pairs_) {
    append_string(bytes, pair.key);
    bytes += pair.value;
  }
  return bytes;
}

}  // namespace hyalite
