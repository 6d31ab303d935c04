// The keys of a GGUF file to be written: an ordered list of names with values as they lie in the file.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "importers/gguf_metadata.h"

namespace hyalite {

class GgufPairs {
 public:
  GgufPairs() = default;
  // A copy of every value of a file, bit by bit, in its order.
  explicit GgufPairs(const GgufMetadata& metadata);

  // Each replaces the value of a key that is there, in its place.
  void set_u32(std::string_view key, uint32_t value);
  void set_f32(std::string_view key, float value);
  void set_boolean(std::string_view key, bool value);
  void set_string(std::string_view key, std::string_view value);
  void set_strings(std::string_view key, const std::vector<std::string>& values);
  void set_f32s(std::string_view key, std::span<const float> values);
  void set_i32s(std::string_view key, std::span<const int32_t> values);
  void set_booleans(std::string_view key, const std::vector<bool>& values);
  void remove(std::string_view key);

  size_t size() const { return pairs_.size(); }
  std::string bytes() const;  // all pairs as in the file

 private:
  struct Pair {
    std::string key, value;  // value with its type number
  };
  void set(std::string_view key, std::string value);

  std::vector<Pair> pairs_;
};

}  // namespace hyalite
