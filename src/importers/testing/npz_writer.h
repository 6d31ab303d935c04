// For tests: writes small NPZ archives, member by member.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <string>
#include <vector>

#include "importers/testing/files.h"

namespace hyalite::testing {

// A version 1.0 .npy file whose header is the given Python dict.
inline std::string npy_bytes(const std::string& dict, const std::string& data) {
  std::string header = dict + "\n";
  return std::string("\x93NUMPY\x01\x00", 8) + little_endian(static_cast<uint16_t>(header.size())) + header + data;
}
inline std::string npy_bytes(const std::string& descr, const std::string& shape, const std::string& data) {
  return npy_bytes("{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }", data);
}

class ZipWriter {
 public:
  ZipWriter& add(const std::string& name, const std::string& data, uint16_t method = 0, uint16_t flags = 0) {
    const auto size = static_cast<uint32_t>(data.size()), offset = static_cast<uint32_t>(body_.size());
    const std::string common =
        little_endian(uint16_t{20}) + little_endian(flags) + little_endian(method) + little_endian(uint32_t{0}) +
        little_endian(static_cast<uint32_t>(::crc32_z(0, reinterpret_cast<const unsigned char*>(data.data()), data.size()))) +
        little_endian(size) + little_endian(size) + little_endian(static_cast<uint16_t>(name.size())) + little_endian(uint16_t{0});
    body_ += "PK\3\4" + common + name + data;
    directory_ += "PK\1\2" + little_endian(uint16_t{20}) + common + little_endian(uint16_t{0}) + little_endian(uint64_t{0}) +
                  little_endian(offset) + name;
    ++count_;
    return *this;
  }

  std::string bytes() const {
    return body_ + directory_ + std::string("PK\5\6\0\0\0\0", 8) + little_endian(count_) + little_endian(count_) +
           little_endian(static_cast<uint32_t>(directory_.size())) + little_endian(static_cast<uint32_t>(body_.size())) +
           little_endian(uint16_t{0});
  }
  size_t directory_offset() const { return body_.size(); }

 private:
  std::string body_, directory_;
  uint16_t count_ = 0;
};

}  // namespace hyalite::testing
