#include "base/digest.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdio>

namespace hyalite {

std::string digest_of(std::span<const uint8_t> bytes) {
  XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  char text[33];
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64));
  return text;
}

std::string digest_of(std::string_view text) {
  return digest_of({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

}  // namespace hyalite
