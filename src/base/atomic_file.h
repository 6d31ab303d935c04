// A file that appears whole or not at all: written under a temporary name beside its place, then renamed.
#pragma once

#include <filesystem>
#include <string_view>

namespace hyalite {

// Replaces a regular file that is there. Throws Error{io} naming `path`; nothing is left behind then.
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

}  // namespace hyalite
