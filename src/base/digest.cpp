#include "base/digest.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstdio>

#include "base/cancellation.h"

namespace hyalite {

std::string digest_of(std::span<const uint8_t> bytes, const std::atomic<bool>* cancel) {
  constexpr size_t kPiece = size_t{8} << 20;  // read from a disk in a fraction of a second
  XXH3_state_t state;
  XXH3_128bits_reset(&state);
  for (size_t at = 0; at < bytes.size(); at += kPiece) {
    throw_if_set(cancel);
    XXH3_128bits_update(&state, bytes.data() + at, std::min(kPiece, bytes.size() - at));
  }
  const XXH128_hash_t hash = XXH3_128bits_digest(&state);
  char text[33];
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64));
  return text;
}

std::string digest_of(std::string_view text) {
  return digest_of({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

}  // namespace hyalite
