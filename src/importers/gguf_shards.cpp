#include "importers/gguf_shards.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <unordered_map>

#include "base/error.h"

namespace hyalite {
namespace {

constexpr uint64_t kMaxShards = 99999;  // the names have five digits

GgufShard open_shard(const std::filesystem::path& path) {
  GgufShard shard{MappedFile::open(path), {GgufMetadata(path.string()), {}}};
  shard.file = parse_gguf(shard.map->bytes(), path.string());
  return shard;
}

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& message) {
  throw Error(ErrorCode::invalid_model, path.string(), message);
}

std::string shard_suffix(uint64_t number, uint64_t count) {
  char text[40];
  std::snprintf(text, sizeof text, "-%05u-of-%05u.gguf", static_cast<unsigned>(number), static_cast<unsigned>(count));
  return text;
}

// What a shard says of itself: its number from 0, the number of shards and the tensors in all of them.
struct Split {
  uint64_t no = 0, count = 1, tensors = 0;
};
Split split_of(const GgufMetadata& metadata) {
  Split split;
  split.count = metadata.unsigned_integer("split.count").value_or(1);
  if (split.count <= 1) return {};
  split.no = metadata.unsigned_integer("split.no").value_or(0);
  if (split.count > kMaxShards || split.no >= split.count)
    metadata.refuse("split.no", "is " + std::to_string(split.no) + " of " + std::to_string(split.count) + " shards");
  split.tensors = metadata.unsigned_integer("split.tensors.count").value_or(0);
  return split;
}

// The path without "-00002-of-00003.gguf".
std::string stem_of(const std::filesystem::path& path, const Split& split) {
  const std::string name = path.filename().string(), suffix = shard_suffix(split.no + 1, split.count);
  if (!name.ends_with(suffix))
    refuse(path, "is shard " + std::to_string(split.no + 1) + " of " + std::to_string(split.count) + "; its name must end with " + suffix +
                     " so that the others can be found");
  return name.substr(0, name.size() - suffix.size());
}

void check_same_model(const GgufShard& shard, const Split& expected) {
  const Split split = split_of(shard.file.metadata);
  const auto& path = shard.map->path();
  if (split.count != expected.count || split.tensors != expected.tensors)
    refuse(path, "belongs to another model: it is of " + std::to_string(split.count) + " shards with " + std::to_string(split.tensors) +
                     " tensors, expected " + std::to_string(expected.count) + " with " + std::to_string(expected.tensors));
  if (split.no != expected.no)
    refuse(path, "key split.no says shard " + std::to_string(split.no + 1) + ", expected " + std::to_string(expected.no + 1));
}

// Tensor names across shards, and their number.
void check_tensors(const std::vector<GgufShard>& shards, uint64_t expected) {
  std::unordered_map<std::string_view, const GgufShard*> owners;
  for (const GgufShard& shard : shards) {
    for (const GgufTensor& tensor : shard.file.tensors) {
      const auto [at, inserted] = owners.emplace(tensor.name, &shard);
      if (!inserted)
        throw Error(ErrorCode::invalid_model, shard.map->path().string() + ": tensor " + std::string(tensor.name),
                    "is also in " + at->second->map->path().string());
    }
  }
  if (expected && owners.size() != expected)
    refuse(shards[0].map->path(),
           "the shards have " + std::to_string(owners.size()) + " tensors, key split.tensors.count says " + std::to_string(expected));
}

}  // namespace

std::vector<GgufShard> open_gguf_shards(const std::filesystem::path& path) {
  std::vector<GgufShard> shards;
  shards.push_back(open_shard(path));
  const Split split = split_of(shards[0].file.metadata);
  if (split.count == 1) return shards;
  const std::string stem = stem_of(path, split);
  for (uint64_t no = 0; no < split.count; ++no) {
    if (no == split.no) continue;
    const auto sibling = path.parent_path() / (stem + shard_suffix(no + 1, split.count));
    std::error_code error;
    if (!std::filesystem::exists(sibling, error))
      refuse(sibling, "shard " + std::to_string(no + 1) + " of " + std::to_string(split.count) + " is missing");
    shards.push_back(open_shard(sibling));
    check_same_model(shards.back(), {no, split.count, split.tensors});
  }
  std::rotate(shards.begin(), shards.begin() + 1, shards.begin() + static_cast<ptrdiff_t>(split.no) + 1);  // in the order of their numbers
  check_tensors(shards, split.tensors);
  return shards;
}

}  // namespace hyalite
