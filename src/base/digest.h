// Content digests (XXH3, 128 bits): they find damage and mix-ups, they are no defence against a forger.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace hyalite {

// 32 lower-case hex digits.
std::string digest_of(std::span<const uint8_t> bytes);
std::string digest_of(std::string_view text);

}  // namespace hyalite
