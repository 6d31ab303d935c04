// A GGUF model on disk: one file, or the shards that llama-gguf-split makes (NAME-00001-of-00003.gguf, keys split.no, split.count and
// split.tensors.count), opened from any of them.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "base/mapped_file.h"
#include "importers/gguf_file.h"

namespace hyalite {

struct GgufShard {
  std::shared_ptr<MappedFile> map;  // holds the bytes that `file` views
  GgufFile file;
};

// All shards in order; the first has the model's keys. Throws Error{invalid_model} where a file is no GGUF file, a shard is missing
// (named), is called otherwise than it says of itself, or belongs to another model.
std::vector<GgufShard> open_gguf_shards(const std::filesystem::path& path);

}  // namespace hyalite
