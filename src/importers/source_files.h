// The files that a model was read from. They stay mapped with the model, so that a digest is of the bytes that were imported even where
// another file has taken their name since.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/mapped_file.h"

namespace hyalite {

using SourceFiles = std::vector<std::shared_ptr<const MappedFile>>;

// Maps a file and adds it to `files`. Throws as MappedFile::open does.
std::shared_ptr<MappedFile> open_source(const std::filesystem::path& path, SourceFiles& files);

// Parses a file and adds it to `files`. Throws as read_json_file does.
Json read_source_json(const std::string& path, const JsonLimits& limits, SourceFiles& files);

}  // namespace hyalite
