// The members of a zip archive (also in its 64-bit form): where their bytes lie.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hyalite {

struct ZipMember {
  std::string_view name;  // in the archive's bytes
  uint16_t method = 0;    // 0: stored
  uint64_t offset = 0;    // of the member's data from the start of the archive; [offset, offset + bytes) lies inside it
  uint64_t bytes = 0;     // as stored
  uint32_t crc32 = 0;     // of the member's content, as the archive says
};

// No two of them share a byte. Throws Error{invalid_model} naming `file` and the offset; Error{unsupported} for encrypted members and
// archives in several parts.
std::vector<ZipMember> read_zip_directory(std::span<const uint8_t> bytes, const std::string& file);

}  // namespace hyalite
