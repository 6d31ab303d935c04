// Content digests (XXH3, 128 bits): they find damage and mix-ups, they are no defence against a forger.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace hyalite {

// 32 lower-case hex digits.
// Throws Error{cancelled} once `cancel` is set (it may be null).
std::string digest_of(std::span<const uint8_t> bytes, const std::atomic<bool>* cancel = nullptr);
std::string digest_of(std::string_view text);

}  // namespace hyalite
