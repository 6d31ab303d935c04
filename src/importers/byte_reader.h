// A bounds-checked walk over little-endian bytes from outside. Every failure is one Error{invalid_model} naming the file, what was being
// read and the offset.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"

namespace hyalite {

class ByteReader {
 public:
  // `file` is for messages. Both arguments must outlive the reader.
  ByteReader(std::span<const uint8_t> bytes, std::string_view file) : bytes_(bytes), file_(file) {}

  uint64_t offset() const { return offset_; }
  uint64_t left() const { return bytes_.size() - offset_; }

  // What the next reads belong to, for messages: "key", "general.name". Costs no allocation.
  void set_context(std::string_view kind, std::string_view name) { kind_ = kind, name_ = name; }

  // The next T, whose role is `what`.
  template <class T>
  T read(std::string_view what) {
    T value;
    std::memcpy(&value, take(sizeof value, what).data(), sizeof value);
    return value;
  }

  std::span<const uint8_t> take(uint64_t size, std::string_view what) {
    field_ = offset_;
    if (size > left()) refuse(fmt::format("{} needs {} bytes, but only {} of the file are left", what, size, left()));
    auto taken = bytes_.subspan(offset_, size);
    offset_ += size;
    return taken;
  }

  // A u64 length and that many bytes.
  std::string_view take_string(uint64_t max_length, std::string_view what) {
    const auto length = read<uint64_t>(what);
    if (length > max_length)
      refuse(std::string(what) + " claims " + std::to_string(length) + " bytes, at most " + std::to_string(max_length) + " are allowed");
    auto taken = take(length, what);
    return {reinterpret_cast<const char*>(taken.data()), taken.size()};
  }

  // About the field that was read last, or could not be.
  [[noreturn]] void refuse(const std::string& message, ErrorCode code = ErrorCode::invalid_model) const {
    std::string where(file_);
    if (!kind_.empty()) where.append(": ").append(kind_);
    if (!name_.empty()) where.append(" ").append(name_);
    throw Error(code, where, message + " (at offset " + std::to_string(field_) + ")");
  }

 private:
  std::span<const uint8_t> bytes_;
  std::string_view file_, kind_, name_;
  uint64_t offset_ = 0, field_ = 0;  // of the next byte; of the last field
};

}  // namespace hyalite
