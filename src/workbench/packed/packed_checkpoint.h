// Writes a packed checkpoint: the directory that importers/packed_config.h describes.
#pragma once

#include <atomic>
#include <filesystem>

#include "workbench/packed/packed_quantizer.h"

namespace hyalite {

// `model` as quantize_packed left it. The directory appears whole or not at all; a packed checkpoint that is there is replaced. Throws
// Error{invalid_argument} where something else is there, or where a matrix is in a format that a packed checkpoint does not hold,
// Error{io}, Error{cancelled}.
void write_packed_checkpoint(const ImportedModel& model, const PackedOptions& options, const std::filesystem::path& directory,
                             const std::atomic<bool>* cancel = nullptr);

}  // namespace hyalite
