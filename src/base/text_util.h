// Figures as people read them.
#pragma once

#include <cstdint>
#include <string>

namespace hyalite {

// Three significant digits in binary units: "0 B", "512 B", "1.50 KiB", "138 MiB", "1.07 GiB".
std::string human_bytes(uint64_t bytes);

}  // namespace hyalite
