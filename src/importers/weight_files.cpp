#include "importers/weight_files.h"

#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "base/error.h"
#include "importers/json_fields.h"
#include "importers/npz.h"
#include "importers/safetensors.h"

namespace hyalite {
namespace {

namespace fs = std::filesystem;

// One row a kind of weight file.
struct WeightFormat {
  const char* extension;
  std::vector<StoredTensor> (*parse)(std::span<const uint8_t> bytes, const std::string& file);
  void (*check)(std::span<const uint8_t> bytes, const std::vector<StoredTensor>& tensors, const std::string& file);  // or nullptr
};
constexpr WeightFormat kFormats[] = {{".safetensors", parse_safetensors, check_covered}, {".npz", parse_npz, nullptr}};

const WeightFormat* format_of_file(const fs::path& path) {
  for (const WeightFormat& format : kFormats)
    if (path.extension() == format.extension) return &format;
  return nullptr;
}

using Tensors = std::map<std::string, FoundTensor>;

Tensors open_file(const fs::path& path, WeightFiles& result, SourceFiles& files) {
  auto map = open_source(path, files);
  const WeightFormat& format = *format_of_file(path);
  std::vector<StoredTensor> table = format.parse(map->bytes(), path.string());
  try {
    if (format.check) format.check(map->bytes(), table, path.string());
  } catch (const Error& error) {
    if (!result.fault) result.fault = error;
  }
  Tensors tensors;
  for (StoredTensor& stored : table)
    tensors.emplace(stored.name, FoundTensor{{path.string(), stored.name}, stored.dtype, std::move(stored.dims), map, stored.offset});
  return tensors;
}

// What an index says: file name -> the tensors in it.
using Index = std::map<std::string, std::vector<std::string>>;

void check_file_name(const std::string& name, const std::string& where) {
  const bool plain = !name.empty() && name != "." && name != ".." && name.find_first_of(std::string_view("/\\\0", 3)) == std::string::npos;
  if (!plain) throw Error(ErrorCode::invalid_model, where, "names the file \"" + name + "\", which is not a file of the model's directory");
  if (!format_of_file(name))
    throw Error(ErrorCode::unsupported, where, "names the file \"" + name + "\", which is neither safetensors nor NPZ");
}

Index read_index(const fs::path& path, SourceFiles& files) {
  constexpr JsonLimits kLimits{.max_bytes = size_t{128} << 20, .max_values = 1 << 20, .object = true};
  const Json json = read_source_json(path.string(), kLimits, files);
  const auto weight_map = JsonFields(json, path.string()).object("weight_map");
  if (!weight_map) throw Error(ErrorCode::invalid_model, path.string() + ": weight_map", "is missing");
  Index index;
  for (const auto& [tensor, file] : json["weight_map"].items()) {
    const std::string where = path.string() + ": weight_map: " + tensor;
    if (!file.is_string()) throw Error(ErrorCode::invalid_model, where, "is " + std::string(file.type_name()) + ", expected a file name");
    check_file_name(file.get_ref<const std::string&>(), where);
    index[file].push_back(tensor);
  }
  return index;
}

void take_indexed(const std::vector<std::string>& names, Tensors& tensors, const fs::path& index, const std::string& file, Tensors& out) {
  size_t lost = 0;
  std::string first;
  for (const std::string& name : names) {
    auto node = tensors.extract(name);
    if (node.empty()) {
      if (!lost++) first = name;
    } else {
      out.insert(std::move(node));
    }
  }
  if (lost)
    throw Error(ErrorCode::invalid_model, index.string(),
                "is stale: it says that tensor " + first + " is in " + file + ", which does not have it (" + std::to_string(lost) +
                    " such tensors)");
}

WeightFiles open_indexed(const fs::path& path, SourceFiles& files) {
  const Index index = read_index(path, files);
  const fs::path directory = path.parent_path();
  for (const auto& [file, names] : index)
    if (std::error_code error; !fs::exists(directory / file, error))
      throw Error(ErrorCode::invalid_model, path.string(),
                  "names the shard " + file + ", which is missing; " + std::to_string(names.size()) + " tensors are lost");
  WeightFiles result;
  for (const auto& [file, names] : index) {
    Tensors tensors = open_file(directory / file, result, files);
    take_indexed(names, tensors, path, file, result.tensors);
  }
  return result;
}

// The only file of a kind in the directory; empty where there is none. Several without an index are refused.
fs::path only_file(const fs::path& directory, const char* extension) {
  fs::path only;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path().extension() != extension) continue;
    if (!only.empty())
      throw Error(ErrorCode::invalid_model, directory.string(),
                  std::string("holds several *") + extension + " files, but no index of them");
    only = entry->path();
  }
  if (error) throw Error(ErrorCode::invalid_model, directory.string(), "cannot be listed: " + error.message());
  return only;
}

}  // namespace

std::vector<std::string> unused_names(const WeightFiles& files, const std::vector<std::string>& used) {
  const std::unordered_set<std::string_view> known(used.begin(), used.end());
  std::vector<std::string> names;
  for (const auto& [name, tensor] : files.tensors)
    if (!known.contains(name)) names.push_back(name);
  return names;
}

WeightFiles open_weight_files(const fs::path& directory, SourceFiles& files) {
  std::error_code error;
  for (const WeightFormat& format : kFormats) {
    const std::string standard = std::string("model") + format.extension;
    if (fs::path file = directory / standard; fs::exists(file, error)) {
      WeightFiles result;
      result.tensors = open_file(file, result, files);
      return result;
    }
    if (fs::path index = directory / (standard + ".index.json"); fs::exists(index, error)) return open_indexed(index, files);
  }
  for (const WeightFormat& format : kFormats) {
    const fs::path file = only_file(directory, format.extension);
    if (file.empty()) continue;
    WeightFiles result;
    result.tensors = open_file(file, result, files);
    return result;
  }
  throw Error(ErrorCode::invalid_model, directory.string(),
              "holds no weights: expected model.safetensors, model.npz or an index of such files");
}

}  // namespace hyalite
