#include "cli/seed_option.h"

#include <charconv>
#include <cstdint>

namespace hyalite {

CLI::Validator any_seed() {
  auto why_not = [](const std::string& text) -> std::string {
    uint64_t seed = 0;
    const char* end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, seed);
    return error == std::errc() && at == end ? "" : "must be an integer from 0 to 2^64 - 1, not " + text;
  };
  return {why_not, ""};
}

}  // namespace hyalite
